import type { StoredEvent } from '../../domain/records.ts'
import { stripControls } from '../../sanitize/controls.ts'
import type { KnownSecrets } from '../../sanitize/secrets.ts'
import { escapeUntrusted, type Cap } from './escape.ts'

/** An agent (or the human) as templates see it. */
export interface TemplateParty {
  readonly id: string
  readonly name: string
  readonly branch: string
  readonly kind: string
  /** Where its own pull request goes; empty where it goes nowhere. */
  readonly base: string
  /** Of an event at which that matters: its work is in a pull request. */
  readonly filed: boolean
}

/** What a template of an event is given: the payload’s fields, and these. */
export interface EventContext {
  /** Whom the event is about; of a pull request that no agent filed, its branch. */
  readonly agent: TemplateParty
  readonly parent: TemplateParty
  readonly recipient: TemplateParty
  readonly actor_name: string
}

const FIELD_CAP = 8_000
const LOG_CAP = 4_000
const LOGS = new Set(['log', 'last_lines'])

const wholeOf = (event: Pick<StoredEvent, 'type' | 'seq' | 'payload'>): string => {
  const number = event.payload['number']
  if (typeof number !== 'number') return `\`exomonad events --json\`, event ${event.seq}`
  return event.type.startsWith('ci.')
    ? `\`exomonad pr checks ${number}\``
    : `\`exomonad pr show ${number}\``
}

/**
 * Payload and context, every string escaped as if it came from outside; only a person’s own message
 * keeps its lines. The result is a copy of plain data: nothing in it can be called or changed by a
 * template.
 */
export function templateData(
  event: Pick<StoredEvent, 'type' | 'seq' | 'actor' | 'payload'>,
  context: EventContext,
  secrets: KnownSecrets | undefined,
): Record<string, unknown> {
  const whole = wholeOf(event)
  const escape = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') {
      if (event.type === 'message' && event.actor === 'human' && key === 'message')
        return stripControls(value).trim()
      const limit: Cap = LOGS.has(key)
        ? { max: LOG_CAP, keep: 'end', whole }
        : { max: FIELD_CAP, keep: 'start', whole }
      return escapeUntrusted(value, { cap: limit, ...(secrets === undefined ? {} : { secrets }) })
    }
    if (Array.isArray(value)) return value.map((item) => escape(item, key))
    if (value !== null && typeof value === 'object')
      return Object.fromEntries(
        Object.entries(value).map(([name, item]) => [name, escape(item, name)]),
      )
    return value
  }
  return escape(structuredClone({ ...event.payload, ...context }), '') as Record<string, unknown>
}
