import { createHash } from 'node:crypto'
import process from 'node:process'
import { createHeadless } from '../../../src/adapters/terminals/detached/detached.ts'
import type { Holder, Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { createRunner } from '../../../src/adapters/runner/open.ts'
import { silentLog } from '../../../src/log.ts'

export type Kind = 'tmux' | 'headless' | 'runner'

/** What a daemon would hand down: nothing of the test process but the way to its tools. The socket of tmux lies in the test's folder. */
export const scrubbedEnvironment = (folder: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: folder,
  LANG: 'C.UTF-8',
  TMUX_TMPDIR: folder,
  TMPDIR: folder,
})

/** Name of the server for a folder: the same in every process that is given the folder. */
export const socketNameOf = (folder: string): string => `t-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`

/** The implementation under test in its own folder: two calls with the same folder reach the same panes. */
export function createImplementation(kind: Kind, folder: string): Multiplexer {
  return kind === 'runner'
    ? createRunner({ stateDir: folder, environment: scrubbedEnvironment(folder), node: process.execPath, log: silentLog() })
    : createHolder(kind, folder)
}

/** Of one that owns terminals. */
export function createHolder(kind: 'tmux' | 'headless', folder: string): Holder {
  const environment = scrubbedEnvironment(folder)
  const log = silentLog()
  return kind === 'tmux'
    ? createTmux({ socketName: socketNameOf(folder), environment, log, closeGrace: 500 })
    : createHeadless({ stateDir: folder, environment, node: process.execPath, log, closeGrace: 500 })
}
