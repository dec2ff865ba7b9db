import { z } from 'zod'
import type { AgentId } from '../domain/ids.ts'
import type { Reach } from '../domain/records.ts'

/**
 * Who is notified of an event: whose it is (the agent it is about, of a pull request its author),
 * the other agent where it is about two (`partner_id`), whoever looks after that (its parent, of a
 * pull request the owner of its base), the human; of a pull request also all others at work whose
 * own goes into the same base. What is news of a sibling never wakes anybody.
 */
export type Target = 'owner' | 'partner' | 'parent' | 'siblings' | 'human'

/** Who is notified, and how it reaches them; of the human’s inbox all that is not `log`. */
export type Tells = Readonly<
  Partial<Record<Exclude<Target, 'siblings'>, Reach> & Record<'siblings', 'carry' | 'log'>>
>

/** What a line begins with, and its colour in a terminal (surfaces/text/palette.ts). */
type Tone = 'active' | 'attention' | 'bad' | 'dim' | 'good' | 'link' | 'special'

type Payload<Shape extends z.ZodRawShape> = z.output<z.ZodObject<Shape, z.core.$strict>>
type Line<Facts> = readonly [symbol: string, tone: Tone, text: (facts: Facts) => string]

interface Event<Type extends string, Shape extends z.ZodRawShape> {
  /** `subject.what`, as it is stored; its file is called so, and its template. */
  readonly type: Type
  /** One sentence, for docs/reference.md. */
  readonly summary: string
  readonly payload: Shape
  /**
   * Who is notified, in the words of templates/<type>.liquid, and how it reaches them. What wakes an
   * agent begins a turn over a whole conversation: only what it has to act on. Without: history
   * only, seen in the tree and the log. `[attention]` may say otherwise.
   */
  readonly tells?: Tells | ((payload: Payload<Shape>) => Tells)
  /**
   * What somebody wrote to its recipient, who waits or is waited for: it is handed over at once,
   * whatever else may come within `attention.batch_within`, and `[attention]` can’t leave it to the
   * log.
   */
  readonly personal?: true
  /**
   * Its key, where payload and agent are enough to make it: a second event with the same key is
   * dropped, for ever. Where they are not, whoever publishes brings one (`dedupeKey`), or none.
   */
  readonly dedupe?: (payload: Payload<Shape>, agentId: AgentId | null) => string
  /** A person is called (`[notify]`) where it comes to them: somebody waits, or it is bad. */
  readonly urgent?: true
  /**
   * What somebody wrote, or what never changes any more: while it waits to be delivered, newer ones
   * about the same pull request or base do not take its place (delivery/withdrawal.ts).
   */
  readonly stays?: true
  /**
   * Says how the work of an agent stands: where its lead wants to know of several together
   * (`wake: "all_settled"`), it waits until none of them goes on by itself (delivery/held.ts).
   */
  readonly standing?: true
  /** Shown in the log, and not beside the live tree. */
  readonly minor?: true
  /**
   * The event as one line of a terminal, written with `words` (words.ts). Events of another version
   * may lack any part of the payload.
   */
  readonly line: Line<Partial<Payload<Shape>>>
}

type Facts = Readonly<Record<string, unknown>>

/** An event type as the registry has it; `tells`, `dedupe` and `line` take what it carries. */
export interface EventDefinition<
  Type extends string = string,
  Shape extends z.ZodRawShape = z.ZodRawShape,
> extends Pick<
  Event<Type, Shape>,
  'type' | 'summary' | 'personal' | 'urgent' | 'stays' | 'standing' | 'minor'
> {
  readonly payload: z.ZodObject<Shape, z.core.$strict>
  readonly tells: ((payload: Facts) => Tells) | undefined
  readonly dedupe: ((payload: Facts, agentId: AgentId | null) => string) | undefined
  readonly line: Line<Facts>
}

/** One event type, one file; the words of its message are in templates/<type>.liquid. */
export function defineEvent<const Type extends string, Shape extends z.ZodRawShape>(
  event: Event<Type, Shape>,
): EventDefinition<Type, Shape> {
  const { payload, tells, dedupe, line } = event
  return {
    ...event,
    payload: z.strictObject(payload),
    // Nothing is published that its schema has not passed (delivery/publisher.ts).
    tells: typeof tells === 'object' ? () => tells : (tells as EventDefinition['tells']),
    dedupe: dedupe as EventDefinition['dedupe'],
    line: line as unknown as EventDefinition['line'],
  }
}
