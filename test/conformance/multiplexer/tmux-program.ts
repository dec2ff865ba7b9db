import { execFile } from 'node:child_process'
import { chmodSync, mkdtempSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { exec } from '../../helpers/exec.ts'
import type { Bench } from './bench.ts'
import { scrubbedEnvironment, socketNameOf } from './create.ts'

/** Ways past the implementation to the server of a test. */
export function tmuxOf(bench: Bench) {
  /** A command of a person on the same server. */
  const tmux = async (...args: string[]): Promise<string> => {
    const { stdout } = await promisify(execFile)(
      'tmux',
      ['-L', socketNameOf(bench.folder), ...args],
      { env: scrubbedEnvironment(bench.folder) },
    )
    return stdout.trim()
  }

  /**
   * An adapter whose tmux is a script; `$REAL` is the real one. Lets go of it at the end of `use`.
   */
  const withProgram = async (script: string, use: (multiplexer: Multiplexer) => Promise<void>) => {
    // A file of its own each time: a command of the last adapter may just be starting (ETXTBSY).
    const binary = join(mkdtempSync(join(bench.folder, 'in-the-way-')), 'tmux')
    const real = (await promisify(execFile)('sh', ['-c', 'command -v tmux'])).stdout.trim()
    writeFileSync(binary, `#!/bin/sh\nREAL='${real}'\n${script}\n`)
    chmodSync(binary, 0o755)
    const environment = scrubbedEnvironment(bench.folder)
    const multiplexer = createTmux({
      socketName: socketNameOf(bench.folder),
      environment,
      log: silentLog(),
      exec,
      binary,
      controlTimeout: 300,
      closeGrace: 500,
    })
    try {
      await use(multiplexer)
    } finally {
      await multiplexer.dispose()
    }
  }

  return { tmux, withProgram }
}
