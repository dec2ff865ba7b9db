import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { Agent } from '../../src/domain/records.ts'
import { hashToken } from '../../src/core/spawn/token.ts'
import type { AgentId } from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { createClient, type Client } from '../../src/surfaces/client.ts'
import { agentRow } from '../rows.ts'
import type { BenchTree } from '../tree.ts'

/** A living agent without a program: all that it does is what its client asks. */
export interface Member {
  readonly id: AgentId
  readonly name: string
  readonly client: Client
}

/** The daemon’s own store, opened beside it. */
export const openStoreOf = ({ exomonad }: BenchTree): Promise<Store> =>
  openSqliteStore({ file: join(exomonad.state, 'store.db'), log: silentLog() })

/**
 * Puts running agents into the store, each with a token and so a client of its own; below the root
 * where there is no parent.
 */
export async function enroll(
  store: Store,
  socket: string,
  names: readonly string[],
  parent?: Member,
): Promise<Member[]> {
  const above =
    parent === undefined
      ? (await store.agents.list()).find(({ kind }) => kind === 'root')
      : await store.agents.get(parent.id)
  if (above === undefined) throw new Error('no root in the store')
  return store.transaction(async (tx) => {
    const members: Member[] = []
    for (const name of names) {
      const token = randomBytes(16).toString('hex')
      const living: Partial<Agent> = {
        state: 'running',
        exitCode: null,
        endedAt: null,
        tokenHash: hashToken(token),
      }
      const row = agentRow({
        name,
        kind: 'worker',
        parentId: above.id,
        depth: above.depth + 1,
        ...living,
      })
      await tx.agents.insert(row)
      members.push({ id: row.id, name, client: createClient({ socket, token }) })
    }
    return members
  })
}

export const numbered = (name: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${name}-${index}`)
