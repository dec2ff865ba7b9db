import { watch, type FSWatcher } from 'node:fs'
import type { ChildProcess } from 'node:child_process'
import { start } from '../../../processes/exec.ts'
import { isRunning } from '../../../processes/processes.ts'
import type { Commands } from './commands.ts'
import { homePane } from './keeper.ts'
import type { Records } from './records.ts'

/**
 * Tells that something may have ended: hooks/hold-pane.sh writes a file when a program has, also where its pane was closed by hand or the whole
 * server ended, for all of those hang up. A subscription to the first pane tells of the session’s own end; one to the agents’ panes would bring
 * all that they draw. And now and then the programs are looked at themselves: where the script was killed too, nobody writes anything.
 */
export interface Watch {
  begin(): Promise<void>
  /** Files are watched, and the subscription holds. */
  readonly begun: boolean
  stop(): void
}

const LOOK_EVERY = 2000
/** So often it is told that a program has ended: Zellij may notice later than the system does. */
const TELLINGS = 3

/** Ends what it runs at the end of its own input too: a daemon that is killed would leave the subscription behind. */
const UNTIL_LEFT = `exec 3<&0
"$@" </dev/null 3<&- &
child=$!
{ cat <&3; kill "$child"; } >/dev/null 2>&1 &
exec 3<&-
wait "$child"`

export function createWatch({ commands, records, onChange }: { commands: Commands; records: Records; onChange: () => void }): Watch {
  let files: FSWatcher | undefined
  let subscription: ChildProcess | undefined
  let timer: NodeJS.Timeout | undefined
  const told = new Map<string, number>()

  const pids = new Map<string, number>()
  const pidOf = async (key: string): Promise<number | undefined> => {
    const pid = pids.get(key) ?? (await records.read(key).catch(() => undefined))?.pid ?? undefined
    if (pid !== undefined) pids.set(key, pid)
    return pid
  }
  const look = async (): Promise<void> => {
    const keys = await records.keys()
    let ended = false
    for (const key of keys) {
      const times = told.get(key) ?? 0
      const pid = times >= TELLINGS ? undefined : await pidOf(key)
      if (pid === undefined || (await isRunning(pid))) continue
      told.set(key, times + 1)
      ended = true
    }
    for (const key of pids.keys()) if (!keys.includes(key) && pids.delete(key)) told.delete(key)
    if (ended) onChange()
  }
  const subscribe = (): void => {
    const words = [commands.binary, '--session', commands.session, 'subscribe', '--pane-id', homePane, '--format', 'json']
    const begun = start('/bin/sh', ['-c', UNTIL_LEFT, 'exomonad', ...words], { env: commands.environment })
    subscription = begun
    begun.stdout.resume()
    begun.stderr.resume()
    begun.stdin.on('error', () => undefined)
    begun.once('close', () => {
      if (subscription !== begun) return
      subscription = undefined
      onChange()
    })
    begun.once('error', onChange)
  }
  const stop = (): void => {
    clearInterval(timer)
    timer = undefined
    files?.close()
    files = undefined
    const stopped = subscription
    subscription = undefined
    stopped?.stdin?.end()
  }

  return {
    begin: async () => {
      const folder = await records.folder()
      if (subscription !== undefined) return
      // With the session its folder may have gone: what is watched would be one that nobody writes to.
      stop()
      files = watch(folder, (_, name) => {
        if (name?.endsWith('.ended') === true) onChange()
      }).on('error', onChange)
      timer = setInterval(() => void look(), LOOK_EVERY).unref()
      subscribe()
    },
    get begun() {
      return files !== undefined && subscription !== undefined
    },
    stop,
  }
}
