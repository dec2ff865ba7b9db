import { readdir } from 'node:fs/promises'
import type { Multiplexer, Pane } from '../adapters/multiplexer/multiplexer.ts'
import type { Store } from '../adapters/store/store.ts'
import { ExomonadError } from '../errors.ts'
import type { Paths } from '../paths.ts'

/**
 * A store that knows of nobody, although there are agents: it was lost, not begun. Going on would end every one of them as nobody’s. Throws
 * STORE_LOST, which lists what there is. A repository that was just set up, or set up anew, has neither terminals nor records.
 */
export async function requireAccounted(deps: {
  readonly store: Pick<Store, 'agents'>
  readonly multiplexer: Pick<Multiplexer, 'list'>
  readonly paths: Pick<Paths, 'auth' | 'worktrees' | 'database'>
}): Promise<void> {
  const { store, multiplexer, paths } = deps
  if ((await store.agents.list()).length > 0) return
  const panes = (await multiplexer.list()).filter(({ agentId }) => agentId !== null)
  const records = await readdir(paths.auth).catch(() => [])
  if (panes.length === 0 && records.length === 0) return
  const worktrees = await readdir(paths.worktrees).catch(() => [])
  throw new ExomonadError(
    'STORE_LOST',
    [
      `The store ${paths.database} knows of no agent, and there are some: it was removed or emptied. Nothing was touched.`,
      ...list('terminals that run', panes.filter(({ dead }) => !dead).map(nameOf)),
      ...list('records of agents', records),
      ...list('worktrees', worktrees),
      '`exomonad store restore` brings the last backup back; `exomonad down --force` ends the terminals and begins anew, with all work kept.',
    ].join('\n'),
    { terminals: panes.map(({ paneId }) => paneId), records: records.length, worktrees },
  )
}

const nameOf = ({ name, pid }: Pane): string => `${name} (process ${pid})`

const SHOWN = 10
function list(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return [`  ${what}: ${names.slice(0, SHOWN).join(', ')}${more}`]
}
