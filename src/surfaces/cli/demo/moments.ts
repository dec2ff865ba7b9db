import type { EventPayload, EventType } from '../../../events/event.ts'
import type { WireEvent } from '../../client.ts'
import { printableLine } from '../../text/printable.ts'
import type { Colour } from '../../text/palette.ts'

/** One notable thing that happened, in words. */
export interface Moment {
  readonly sign: string
  readonly colour: Colour
  readonly text: string
}

/** Names of agents by id. */
export type Names = ReadonlyMap<string, string>

type Describe<Payload> = (payload: Payload, who: string, actor: string) => Moment | null

const moment = (sign: string, colour: Colour, text: string): Moment => ({ sign, colour, text })

const DESCRIPTIONS: { readonly [Type in EventType]?: Describe<EventPayload<Type>> } = {
  'agent.spawned': ({ name, kind, branch }) =>
    moment('+', 'active', `${name} (${kind}) on ${branch}`),
  'question.asked': ({ name, message }) => moment('?', 'special', `${name} asks: ${message}`),
  'question.answered': ({ answer }, who, actor) =>
    moment('!', 'special', `${actor} answers ${who}: ${answer}`),
  'conflict.foretold': ({ name, other, files }) =>
    moment(
      '⚠',
      'attention',
      `${name} and ${other} would conflict in ${files.map(({ path }) => path).join(', ')}`,
    ),
  'conflict.cleared': ({ name, other }) =>
    moment('✓', 'good', `${name} and ${other} no longer conflict`),
  'pr.opened': ({ number, title, head, base }) =>
    moment('#', 'link', `${number} “${title}” (${head} → ${base})`),
  'pr.review': ({ state, number, comments }, who, actor) =>
    state === 'changes_requested'
      ? moment(
          '✎',
          'attention',
          `${actor} requests changes to #${number} of ${who}: ${comments.length} line comment${comments.length === 1 ? '' : 's'}`,
        )
      : null,
  'pr.pushed': ({ number, after_changes_requested: fixes }, who) =>
    fixes === true ? moment('✎', 'good', `${who} pushed fixes to #${number}`) : null,
  'ci.failed': ({ number }, who) => moment('✗', 'bad', `checks failed on #${number} of ${who}`),
  'ci.passed': ({ number }, who) => moment('✓', 'good', `checks passed on #${number} of ${who}`),
  'rebase.done': ({ branch, base }) => moment('↻', 'active', `${branch} rebased onto ${base}`),
  'rebase.conflict': ({ branch, base, files }) =>
    moment('⚡', 'attention', `${branch} conflicts with ${base} in ${files.join(', ')}`),
  'pr.merged': ({ number, title, base }) =>
    moment('⇥', 'good', `#${number} “${title}” merged into ${base}`),
  'agent.completed': ({ name, summary }) => moment('●', 'good', `${name} is done: ${summary}`),
  'agent.failed': ({ name, reason }) => moment('✗', 'bad', `${name} failed: ${reason}`),
  'stop.released': ({ name, objection }) =>
    moment('✗', 'bad', `${name} was let go although: ${objection}`),
  'delivery.failed': ({ reason }, who) =>
    moment('✗', 'bad', `a message to ${who} failed: ${reason}`),
  'delivery.undecided': ({ name, reason }) =>
    moment('✗', 'bad', `whether a message reached ${name} can’t be determined: ${reason}`),
  note: ({ name, message }) => moment('…', 'dim', `${name}: ${message}`),
}

/** The event as a moment; null for those that only matter to machines. */
export function momentOf(event: WireEvent, names: Names): Moment | null {
  const actor = names.get(event.actor) ?? event.actor
  const described =
    (DESCRIPTIONS[event.type as EventType] as Describe<WireEvent['payload']> | undefined)?.(
      event.payload,
      names.get(event.agentId ?? '') ?? 'an agent',
      actor,
    ) ?? null
  return described === null ? null : { ...described, text: printableLine(described.text) }
}
