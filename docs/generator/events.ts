import { EVENTS } from '../../src/events/event.ts'
import { ROUTED_TYPES } from '../../src/delivery/router.ts'
import { jsonSchema, table, typeText } from './schema-text.ts'

/** Every event type with what it carries. */
export function eventsSection(): string {
  return [
    '## Events',
    'Every change of state is an event: `exomonad events`, `GET /v1/events`. Those marked † are also sent to somebody (an agent, its parent or the human), in the words of `templates/<type>.liquid`; a file of the same name in `.exomonad/templates/` replaces them, and an empty one is silence: nothing is sent. `exomonad config check` finds what is wrong with yours.',
    table(
      ['type', 'when', 'carries'],
      Object.entries(EVENTS).map(([type, { summary, payload }]) => [
        `\`${type}\`${(ROUTED_TYPES as readonly string[]).includes(type) ? ' †' : ''}`,
        summary,
        `\`${typeText(jsonSchema(payload, 'output'))}\``,
      ]),
    ),
  ].join('\n\n')
}
