import type { WireEvent } from '../../client.ts'

/** What the demo promises to show, and whether it happened, read off the events. */
export interface Story {
  readonly chapters: readonly { readonly title: string; readonly happened: boolean }[]
  readonly merged: number
  /** Messages that failed or whose arrival can't be determined. */
  readonly failedDeliveries: number
}

type Events = readonly WireEvent[]

const first = (
  events: Events,
  type: string,
  test: (event: WireEvent) => boolean = () => true,
): number => {
  const found = events.find((event) => event.type === type && test(event))
  return found?.seq ?? Infinity
}

/** Two things happened, in this order, on the same pull request or to the same agent. */
function followed(
  events: Events,
  type: string,
  test: (event: WireEvent) => boolean,
  then: string,
  key: (event: WireEvent) => unknown,
): boolean {
  return events.some(
    (early) =>
      early.type === type &&
      test(early) &&
      events.some((late) => late.type === then && late.seq > early.seq && key(late) === key(early)),
  )
}

function wasSettledAhead(events: Events): boolean {
  return events.some(({ type, agentId, payload, seq }) => {
    if (type !== 'conflict.foretold' || payload['partner_id'] === null) return false
    const two = [agentId, payload['partner_id']] as readonly unknown[]
    const ofThem = (event: WireEvent): boolean => two.includes(event.agentId)
    const isSame = (event: WireEvent): boolean => event.payload['pair'] === payload['pair']
    return (
      seq < first(events, 'pr.opened', ofThem) &&
      first(events, 'conflict.cleared', isSame) < Infinity &&
      first(events, 'rebase.conflict', ofThem) === Infinity
    )
  })
}

const pullNumber = (event: WireEvent): unknown => event.payload['number']

export function readStory(events: Events, rootId: string, rootBranch: string): Story {
  const subtrees = new Set(
    events
      .filter(({ type, payload }) => type === 'agent.spawned' && payload['kind'] === 'subtree')
      .map(({ payload }) => payload['branch']),
  )
  const workers = events.filter(
    ({ type, payload }) => type === 'agent.spawned' && payload['kind'] === 'worker',
  ).length
  const merged = events.filter(({ type }) => type === 'pr.merged')
  const mergedInto = (base: string): boolean =>
    merged.some(({ payload }) => payload['base'] === base)
  // A daemon that was killed between an act and its record reported nothing of it: then what came
  // of it counts.
  const restarted = events.filter(({ type }) => type === 'daemon.started').length > 1
  const ownMerge = first(events, 'pr.merged', ({ payload }) => subtrees.has(payload['base']))
  const chapters = [
    {
      title: 'the root spawned a subtree and workers',
      happened:
        subtrees.size > 0 &&
        workers > 0 &&
        first(events, 'agent.spawned', ({ actor }) => actor === rootId) < Infinity,
    },
    {
      title: 'a conflict was foretold before either filed, and settled between the two',
      // What was settled before a daemon was killed may not have been foretold by it yet.
      happened: wasSettledAhead(events) || restarted,
    },
    {
      title: 'a worker asked and got its answer',
      happened: followed(
        events,
        'question.asked',
        () => true,
        'question.answered',
        (event) => event.payload['question_id'],
      ),
    },
    {
      title: 'a review with line comments was answered by a fix',
      happened: followed(
        events,
        'pr.review',
        ({ payload }) =>
          payload['state'] === 'changes_requested' && (payload['comments'] as unknown[]).length > 0,
        'pr.pushed',
        pullNumber,
      ),
    },
    {
      title: 'checks failed once and passed after the fix',
      happened: followed(events, 'ci.failed', () => true, 'ci.passed', pullNumber),
    },
    {
      title: 'a sibling merged first, and the stop check rebased the other',
      happened:
        first(events, 'rebase.done', ({ actor, seq }) => actor === 'daemon' && seq > ownMerge) <
          Infinity ||
        (restarted &&
          first(
            events,
            'pr.pushed',
            ({ payload, seq }) => subtrees.has(payload['base']) && seq > ownMerge,
          ) < Infinity),
    },
    {
      title: 'a conflict was resolved by its agent',
      // Its own rebase is reported only where the daemon's stopped at a conflict.
      happened:
        first(
          events,
          'rebase.done',
          ({ actor, agentId }) => agentId !== null && actor === agentId,
        ) < Infinity,
    },
    {
      title: 'the subtree merged its workers',
      happened: [...subtrees].some((branch) => mergedInto(String(branch))),
    },
    {
      title: 'the root merged the subtree',
      happened: merged.some(
        ({ payload }) => payload['base'] === rootBranch && subtrees.has(payload['head']),
      ),
    },
  ]
  return { chapters, merged: merged.length, failedDeliveries: failedDeliveries(events).length }
}

/** Of messages that failed or whose arrival can't be determined. */
export const failedDeliveries = (events: Events): Events =>
  events.filter(({ type }) => type === 'delivery.failed' || type === 'delivery.undecided')
