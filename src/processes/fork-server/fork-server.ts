import { closeSync } from 'node:fs'
import process from 'node:process'
import { exec as execDirectly, type Exec, type ExecResult } from '../exec.ts'
import { commandFor } from './command.ts'
import { hasRoom, openFiles, outputFolder } from './output-files.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * Runs short commands through one small shell. Who starts a process is copied first and does
 * nothing else until then: 2.6 ms of the processor for a daemon of 120 MB, 8 ms for one of 300 MB,
 * 0.3 ms for a shell (Node 24 on Linux). Elsewhere programs are started without that copy; there,
 * and wherever the shell can't do the same as `direct`, that is what runs them.
 */
export interface ForkServer {
  readonly exec: Exec
  /** Ends the shell and what it still runs. Commands after it are run directly. */
  dispose(): void
}

/** Between asking a command to end and killing it, as execa has it. Milliseconds. */
const GRACE = 5_000

export function createForkServer({
  platform = process.platform,
  direct = execDirectly,
  grace = GRACE,
}: { platform?: NodeJS.Platform; direct?: Exec; grace?: number } = {}): ForkServer {
  let folder = platform === 'linux' ? outputFolder() : undefined
  let shell: Shell | undefined
  return {
    exec: (file, args, options = {}) => {
      const otherwise = (): Promise<ExecResult> => direct(file, args, options)
      const command = folder === undefined ? undefined : commandFor(file, args, options)
      if (folder === undefined || command === undefined || !hasRoom(folder)) return otherwise()
      let files: readonly number[] | undefined
      try {
        files = openFiles(folder, options.input)
        if (shell?.hasEnded !== false) shell = openShell({ grace })
      } catch {
        for (const fd of files ?? []) closeSync(fd)
        return otherwise()
      }
      return shell.run(command, files, options, otherwise)
    },
    dispose() {
      folder = undefined
      shell?.dispose()
    },
  }
}
