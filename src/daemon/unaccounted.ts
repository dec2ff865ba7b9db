import { readdir, readFile, realpath, stat, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Multiplexer, Pane } from '../adapters/terminals/holder.ts'
import type { Store } from '../adapters/store/store.ts'
import { ExomonadError } from '../domain/errors.ts'
import { parseJson } from '../domain/formats/parse-json.ts'
import type { Paths } from '../runtime/paths.ts'

interface Deps {
  readonly store: Pick<Store, 'agents' | 'events' | 'place' | 'backUp'>
  readonly multiplexer: Pick<Multiplexer, 'list'>
  readonly paths: Pick<Paths, 'auth' | 'worktrees' | 'accepted' | 'commonDir'>
}

interface Found {
  readonly panes: readonly Pane[]
  /** Ids of agents. */
  readonly records: readonly string[]
  readonly worktrees: readonly string[]
}

const WAY_ON =
  '`exomonad store restore` brings the last backup back; `exomonad down --force` ends the terminals and begins anew, with all work kept.'

/** A database is restored by whoever keeps it. */
const wayOn = ({ backUp }: Pick<Store, 'backUp'>): string =>
  backUp === null
    ? '`exomonad store move` brings over what a SQLite store has, a backup of the database is brought back by its own means, and `exomonad restore --force FILE` brings back what `exomonad backup` wrote; `exomonad down --force` ends the terminals and begins anew, with all work kept.'
    : WAY_ON

/**
 * A store that does not know of what is there was lost, not begun, or is another one: going on
 * would end agents as nobody’s, or forget their work. Throws STORE_LOST, which lists it. What the
 * person went on without, by a restore of an older backup or `down --force`, is written down once
 * and counts no more. A repository that was just set up, or set up anew, has none of it.
 */
export async function requireAccounted(deps: Deps): Promise<void> {
  await requireOwn(deps)
  const found = await unaccounted(deps)
  const { accepted } = deps.paths
  const before = await readFile(accepted, 'utf8').catch(() => undefined)
  if (before === '') {
    await writeFile(
      accepted,
      JSON.stringify([
        ...found.panes.map(({ agentId }) => agentId),
        ...found.records,
        ...found.worktrees,
      ]),
      { mode: 0o600 },
    )
    return
  }
  const names = new Set(before === undefined ? [] : (parseJson(before) as string[]))
  const panes = found.panes.filter(({ agentId }) => !names.has(agentId ?? ''))
  const records = found.records.filter((id) => !names.has(id))
  const worktrees = found.worktrees.filter((name) => !names.has(name))
  if (panes.length + records.length + worktrees.length === 0) return
  throw new ExomonadError(
    'STORE_LOST',
    [
      `The store ${deps.store.place} knows of no agent that would have what is here: it was removed or emptied, or is an older one. Nothing was touched.`,
      ...list('terminals that run', panes.filter(({ dead }) => !dead).map(nameOf)),
      ...list('records of agents', records),
      ...list('worktrees', worktrees),
      wayOn(deps.store),
    ].join('\n'),
    { terminals: panes.map(({ paneId }) => paneId), records: records.length, worktrees },
  )
}

async function unaccounted({ store, multiplexer, paths }: Deps): Promise<Found> {
  const known = new Set<string>((await store.agents.list()).map(({ id }) => id))
  const panes = (await multiplexer.list()).filter(
    ({ agentId }) => agentId !== null && !known.has(agentId),
  )
  const records: string[] = await readdir(paths.auth).catch(() => [])
  if (known.size === 0) {
    const worktrees = await Promise.all(Object.values(paths.worktrees).map(worktreesIn))
    return { panes, records, worktrees: worktrees.flat() }
  }
  // Of a spawn that was taken back the terminal may be left, but no record, or the store has its
  // events. Records alone are what a power cut leaves.
  const strangers: Pane[] = []
  for (const pane of panes) {
    const { agentId, dead } = pane
    if (agentId === null || dead || !records.includes(agentId)) continue
    if ((await store.events.list({ agentId, limit: 1 })).length === 0) strangers.push(pane)
  }
  return { panes: strangers, records: [], worktrees: [] }
}

async function worktreesIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch(() => [])
  const there = await Promise.all(
    names.map((name) => stat(join(folder, name, '.git')).catch(() => undefined)),
  )
  return names.filter((_name, index) => there[index] !== undefined)
}

/**
 * Of a store that was copied from another repository the agents are over there: nothing may be done
 * to their worktrees from here.
 */
async function requireOwn({ store, paths }: Deps): Promise<void> {
  const root = (await store.agents.list()).find(({ kind }) => kind === 'root')
  const other = root === undefined ? undefined : await commonDirOf(root.worktree)
  if (root === undefined || other === undefined || other === (await realpath(paths.commonDir)))
    return
  throw new ExomonadError(
    'STORE_LOST',
    `The store ${store.place} is that of another repository, ${root.worktree}: it was copied from there. Nothing was touched.\n${wayOn(store)}`,
    { repository: root.worktree },
  )
}

/** Undefined where there is no worktree any more, such as after the repository was moved. */
async function commonDirOf(worktree: string): Promise<string | undefined> {
  const git = join(worktree, '.git')
  try {
    if ((await stat(git)).isDirectory()) return await realpath(git)
    const folder = resolve(worktree, (await readFile(git, 'utf8')).replace(/^gitdir: /, '').trim())
    const common = await readFile(join(folder, 'commondir'), 'utf8').catch(() => '.')
    return await realpath(resolve(folder, common.trim()))
  } catch {
    return undefined
  }
}

/**
 * SQLite would begin anew, and take what was written last for that of another file: it goes unread.
 */
export async function requireDatabase({ database }: Pick<Paths, 'database'>): Promise<void> {
  const [size, log] = await Promise.all(
    [database, `${database}-wal`].map((file) =>
      stat(file).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  )
  if (size !== 0 || log === 0) return
  throw new ExomonadError(
    'STORE_LOST',
    `The store ${database} is gone, and ${database}-wal, which belongs to it, is there. Nothing was touched.\n${WAY_ON}`,
  )
}

const nameOf = ({ name, pid }: Pane): string => `${name} (process ${pid})`

const SHOWN = 10
function list(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return []
  const more = names.length > SHOWN ? ` and ${names.length - SHOWN} more` : ''
  return [`  ${what}: ${names.slice(0, SHOWN).join(', ')}${more}`]
}
