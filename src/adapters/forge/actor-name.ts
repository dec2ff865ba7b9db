import type { Actor } from '../../domain/ids.ts'
import type { StoreVerbs } from '../store/store.ts'

/** Name to show for whoever did something. */
export async function actorName(store: Pick<StoreVerbs, 'agents'>, actor: Actor): Promise<string> {
  if (actor === 'human' || actor === 'daemon') return actor
  if (actor.startsWith('forge:')) return actor.slice('forge:'.length)
  return (
    (await store.agents.get(actor as Parameters<StoreVerbs['agents']['get']>[0]))?.name ?? actor
  )
}
