import type { z } from 'zod'
import type { Actor, AgentId } from '../domain/ids.ts'
import { ALL_EVENTS } from './all.ts'
import type { EventDefinition } from './define.ts'

/** What all event types together say: the index of them, and the types of what is published. */

type Definition = (typeof ALL_EVENTS)[number]

/** By type, in the order of docs/reference.md. */
export const EVENTS = Object.fromEntries(ALL_EVENTS.map((event) => [event.type, event])) as {
  readonly [Event in Definition as Event['type']]: Event
}

/** Of a type that may be of another version: undefined where there is none such. */
export const definitionOf = (type: string): EventDefinition | undefined =>
  Object.hasOwn(EVENTS, type) ? EVENTS[type as EventType] : undefined

export type EventType = keyof typeof EVENTS
export type EventPayload<Type extends EventType> = z.output<(typeof EVENTS)[Type]['payload']>

/** An event about to be published. `agentId` is the agent it is about. */
export type NewEvent = {
  [Type in EventType]: {
    readonly type: Type
    readonly agentId: AgentId | null
    readonly actor: Actor
    readonly payload: EventPayload<Type>
    readonly why?: string
    /**
     * Unique for ever: a second event with the same key is dropped. In place of the one that its
     * definition makes of it, where that can make one.
     */
    readonly dedupeKey?: string
  }
}[EventType]

/** What drops an event that is published a second time; null for one that may come again. */
export const dedupeKeyOf = ({ type, agentId, payload, dedupeKey }: NewEvent): string | null =>
  dedupeKey ?? definitionOf(type)?.dedupe?.(payload, agentId) ?? null
