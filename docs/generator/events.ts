import { EVENTS, type EventType } from '../../src/events/event.ts'
import { reachesOf } from './reaches.ts'
import { jsonSchema, table, typeText } from './schema-text.ts'

/** Every event type with what it carries. */
export function eventsSection(): string {
  return [
    '# Events',
    'Every change of state is an event: `exomonad events`, `GET /v1/events`. Most stay history. Of the others the table says whom they reach and how: whose it is (*owner*: the agent it is about, of a pull request its author), the other agent where it is about two (*partner*), whoever looks after that (*parent*; of a pull request the owner of its base), the others whose own pull requests go into the same base, while they are at work (*siblings*, who are never woken by that), or you (*human*). **wake** begins a turn of an agent at rest, **carry** goes along with the next thing that reaches it, **log** is in `exomonad events` alone; where what the event carries decides, all that it may be. `[attention]` changes it per event and role. The words are those of `templates/<type>.liquid`; a file of the same name in `.exomonad/templates/` replaces them, and an empty one is silence: nothing is sent. `exomonad config check` finds what is wrong with yours.',
    table(
      ['type', 'when', 'reaches', 'carries'],
      Object.entries(EVENTS).map(([type, { summary, payload }]) => [
        `\`${type}\``,
        summary,
        reachesOf(type as EventType),
        `\`${typeText(jsonSchema(payload, 'output'))}\``,
      ]),
    ),
  ].join('\n\n')
}
