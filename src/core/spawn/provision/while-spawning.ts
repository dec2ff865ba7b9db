import { ExomonadError } from '../../../domain/errors.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'

/** SPAWN_FAILED of an agent that was ended before its program ran. */
export class KilledMeanwhile extends ExomonadError {
  constructor({ id, name }: Pick<Agent, 'id' | 'name'>) {
    super('SPAWN_FAILED', `${name} was killed while it was being spawned.`, { agent: id })
  }
}

/** Throws KilledMeanwhile. */
export async function requireSpawning({ store }: Pick<Deps, 'store'>, agent: Agent): Promise<void> {
  const now = await store.agents.get(agent.id)
  if (now === undefined || !isAlive(now.state)) throw new KilledMeanwhile(agent)
}

/** Does something long that ends where the agent does. Throws KilledMeanwhile then. */
export async function whileSpawning<Result>(
  deps: Pick<Deps, 'store'>,
  agent: Agent,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const look = (): void => {
    // Where the store can’t be read it is seen afterwards.
    requireSpawning(deps, agent).catch((error: unknown) => {
      if (error instanceof KilledMeanwhile) over.abort()
    })
  }
  const unsubscribe = deps.store.subscribe(agent.id, look)
  try {
    await requireSpawning(deps, agent)
    const result = await work(over.signal)
    await requireSpawning(deps, agent)
    return result
  } finally {
    unsubscribe()
  }
}
