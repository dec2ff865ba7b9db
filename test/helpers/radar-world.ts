import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, expect } from 'vitest'
import { startExomonad, type Exomonad } from './daemon.ts'
import { waitFor } from './wait-for.ts'

const NOTES = ['one', 'two', 'three', 'four', 'five', '']
export const RADAR_FILES = {
  'notes.txt': NOTES.join('\n'),
  'list.txt': NOTES.join('\n'),
  'run.sh': 'x\n',
}
/** The notes with another line at this place, from 0. */
export const notesWith = (at: number, text: string): string => NOTES.with(at, text).join('\n')

/** Test helper: siblings whose worktrees a test writes into, and what was said of their conflicts. */
export interface RadarWorld {
  readonly tree: Exomonad
  /** Worktrees and ids, by name. */
  readonly at: Record<string, string>
  readonly id: Record<string, string>
  /** Spawns workers; resolves once all rest. */
  spawn(...names: string[]): Promise<void>
  write(name: string, file: string, text: string): void
  pairs(): Promise<any[]>
  between(a: string, b: string): Promise<{ status: string; files: string[] }>
  /** Everything that was ever to be said of conflicts: type, to whom, what became of it. */
  said(): { kind: string; to: string; text: string; state: string }[]
  /** Who was told something of this type in which these words stand. */
  told(kind: string, words: string): string[]
}

/** One tree for the tests of a file. It looks where it is asked to, and at the end of turns. */
export function useRadarWorld(): RadarWorld {
  let tree: Exomonad
  const at: Record<string, string> = {}
  const id: Record<string, string> = {}
  beforeAll(async () => {
    tree = await startExomonad({ files: RADAR_FILES, config: '[radar]\ninterval = 3600\n' })
  })
  afterAll(() => tree?.stop())

  const pairs = async (): Promise<any[]> => (await tree.call('radar')).pairs
  const said: RadarWorld['said'] = () => {
    const database = new Database(join(tree.state, 'store.db'), { readonly: true })
    try {
      const names = new Map(Object.entries(id).map(([name, agent]) => [agent, name]))
      return database
        .prepare(
          "select kind, recipient, text, state from deliveries where kind like 'conflict.%' order by seq",
        )
        .all()
        .map(({ recipient, ...row }: any) => ({ ...row, to: names.get(recipient) ?? recipient }))
    } finally {
      database.close()
    }
  }
  return {
    get tree() {
      return tree
    },
    at,
    id,
    spawn: async (...names) => {
      const specs = names.map((name) => ({ name, prompt: 'x' }))
      const { spawned, errors } = await tree.call('spawn_workers', { specs })
      expect(errors).toEqual([])
      for (const { name, worktree, agent_id: agentId } of spawned) {
        at[name] = worktree
        id[name] = agentId
      }
      const rest = async () =>
        (await Promise.all(names.map((name) => tree.agent(name)))).every(
          ({ state }) => state === 'idle',
        )
      await waitFor('all to rest', rest, { limit: 60_000 })
    },
    write: (name, file, text) => writeFileSync(join(at[name] ?? '', file), text),
    pairs,
    between: async (a, b) => {
      const found = (await pairs()).filter((pair) => pair.a === a && pair.b === b)
      expect(found).toHaveLength(1)
      const [{ status, files }] = found
      return { status, files }
    },
    said,
    told: (kind, words) =>
      said()
        .filter((one) => one.kind === kind && one.text.includes(words))
        .map(({ to }) => to)
        .toSorted(),
  }
}
