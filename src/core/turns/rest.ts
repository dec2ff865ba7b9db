import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { AgentId } from '../../domain/ids.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import { childrenOf, isFolded } from '../agents/tree.ts'
import { mergedBranches } from '../pulls/pull-records.ts'
import { ownWaitsOf } from './own-waits.ts'

/** The key under which it stands that an agent rests. */
const keyOf = (id: AgentId): string => `rest-told:${id}`

type Snapshots = Pick<StoreVerbs, 'snapshots'>

/**
 * It ended its turn with nothing that it waits for, or said what it came to, and was given nothing
 * since: it does nothing by itself.
 */
export const isRestKnown = async ({ snapshots }: Snapshots, id: AgentId): Promise<boolean> =>
  (await snapshots.get(keyOf(id))) !== undefined

/** `at`: since when, milliseconds since the epoch. */
export const recordRest = ({ snapshots }: Snapshots, id: AgentId, at: number): Promise<void> =>
  snapshots.put(keyOf(id), { at })

export const forgetRest = ({ snapshots }: Snapshots, id: AgentId): Promise<void> =>
  snapshots.remove(keyOf(id))

/** What is decided by. `pulls`: all that are known, read once. */
export interface Reading {
  readonly tx: StoreVerbs
  readonly pulls: () => Promise<readonly PullRequestSnapshot[]>
}

/** One that rests does nothing by itself, nor one that has reported; and a server never ends. */
const mayGoOn = async (tx: StoreVerbs, child: Agent): Promise<boolean> =>
  child.kind !== 'process' &&
  !((child.state === 'idle' || child.outcome !== null) && (await isRestKnown(tx, child.id)))

/**
 * What an agent that ended its turn waits for by itself, in words; undefined where nothing is known.
 * `but`: a child of which it is known already.
 */
export async function waitsFor(
  { tx, pulls }: Reading,
  id: AgentId,
  but: AgentId | null = null,
): Promise<string | undefined> {
  const [question] = await tx.questions.open(id)
  if (question !== undefined) return `an answer to ${question.id}`
  const own = await ownWaitsOf(tx, id)
  if (own !== undefined) return own.waits.join(', ')
  const children = childrenOf(await tx.agents.list(), id)
  const merged = mergedBranches(children.length === 0 ? [] : await pulls())
  const names: string[] = []
  for (const child of children)
    if (
      child.id !== but &&
      isAlive(child.state) &&
      !isFolded(child, merged) &&
      (await mayGoOn(tx, child))
    )
      names.push(child.name)
  return names.length === 0 ? undefined : names.join(', ')
}
