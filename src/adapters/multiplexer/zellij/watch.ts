import { watch, type FSWatcher } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { start } from '../../exec.ts'
import type { Commands } from './commands.ts'
import { homePane } from './keeper.ts'

/**
 * Tells that something may have ended: hooks/hold-pane.sh writes a file when a program has, also where its pane was closed by hand or the whole
 * server ended, for all of those hang up. A subscription to the first pane tells of the session’s own end; one to the agents’ panes would bring
 * all that they draw.
 */
export interface Watch {
  begin(folder: string): void
  /** Files are watched, and the subscription holds. */
  readonly begun: boolean
  stop(): void
}

export function createWatch({ commands, onChange }: { commands: Commands; onChange: () => void }): Watch {
  let files: FSWatcher | undefined
  let subscription: ChildProcess | undefined
  const stopSubscription = (): void => {
    const stopped = subscription
    subscription = undefined
    stopped?.kill('SIGTERM')
  }
  return {
    begin: (folder) => {
      files ??= watch(folder, (_, name) => {
        if (name?.endsWith('.ended') === true) onChange()
      }).on('error', onChange)
      if (subscription !== undefined) return
      const begun = start(commands.binary, ['--session', commands.session, 'subscribe', '--pane-id', homePane, '--format', 'json'], {
        env: commands.environment,
      })
      subscription = begun
      begun.stdout.resume()
      begun.stderr.resume()
      begun.stdin.end()
      begun.once('close', () => {
        if (subscription !== begun) return
        subscription = undefined
        onChange()
      })
      begun.once('error', onChange)
    },
    get begun() {
      return files !== undefined && subscription !== undefined
    },
    stop: () => {
      files?.close()
      files = undefined
      stopSubscription()
    },
  }
}
