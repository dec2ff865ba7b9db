import { createHash } from 'node:crypto'
import process from 'node:process'
import { createDetached } from '../../../src/adapters/terminals/detached/detached.ts'
import type { DetachedHolder } from '../../../src/adapters/terminals/headless.ts'
import type { Holder, Multiplexer } from '../../../src/adapters/terminals/holder.ts'
import { createTmux } from '../../../src/adapters/terminals/tmux/tmux.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { exec } from '../../helpers/exec.ts'
import { programs } from '../../helpers/programs.ts'

/**
 * `headless` and `runner` are the detached host: with terminals, and with what runs without one.
 */
export type Kind = 'tmux' | 'headless' | 'runner'

/**
 * What a daemon would hand down: nothing of the test process but the way to its tools. The socket
 * of tmux lies in the test's folder.
 */
export const scrubbedEnvironment = (folder: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '/usr/bin:/bin',
  HOME: folder,
  LANG: 'C.UTF-8',
  TMUX_TMPDIR: folder,
  TMPDIR: folder,
})

/** Name of the server for a folder: the same in every process that is given the folder. */
export const socketNameOf = (folder: string): string =>
  `t-${createHash('sha256').update(folder).digest('hex').slice(0, 8)}`

/**
 * The implementation under test in its own folder: two calls with the same folder reach the same
 * panes.
 */
export function createImplementation(kind: Kind, folder: string): Multiplexer {
  return kind === 'runner'
    ? withoutTerminals(
        createDetached({
          stateDir: folder,
          environment: scrubbedEnvironment(folder),
          node: process.execPath,
          programs,
          log: silentLog(),
        }),
      )
    : createHolder(kind, folder)
}

/** Of one that owns terminals. */
export function createHolder(kind: 'tmux' | 'headless', folder: string): Holder {
  const environment = scrubbedEnvironment(folder)
  const log = silentLog()
  return kind === 'tmux'
    ? createTmux({ socketName: socketNameOf(folder), environment, log, exec, closeGrace: 500 })
    : createDetached({
        stateDir: folder,
        environment,
        node: process.execPath,
        programs,
        log,
        closeGrace: 500,
      })
}

/** Where nothing else is said, what is opened is a process on pipes. */
export const withoutTerminals = (detached: DetachedHolder): DetachedHolder => ({
  ...detached,
  open: (options) => detached.open({ program: { kind: 'process' }, ...options }),
})
