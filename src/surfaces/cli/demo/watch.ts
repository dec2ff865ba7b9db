import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { Client, WireEvent } from '../../client.ts'
import type { Display } from './display.ts'
import { createEnding, type Ending } from './ending.ts'
import { momentOf } from './moments.ts'

/** Milliseconds. */
export interface Deadlines {
  /** Longest run. */
  readonly limit: number
  /** Longest time without any event. */
  readonly quiet: number
  /** How long messages may take to arrive after the end. */
  readonly settle: number
}

export const flatten = (node: TreeNode): TreeNode[] => [node, ...node.children.flatMap(flatten)]

/**
 * Follows the events until the tree is done, stuck, too slow or interrupted (`signal`), and shows
 * them.
 */
export async function watchTree(
  client: Client,
  display: Display,
  deadlines: Deadlines,
  signal: AbortSignal,
): Promise<Ending> {
  const { root } = await client.call('tree', {})
  const names = new Map([[root.id as string, root.name]])
  const endingOf = createEnding(root.id)
  const over = new AbortController()
  let reason = ''
  const stop = (why: string): void => {
    reason = why
    over.abort()
  }
  const limit = setTimeout(
    () => stop(`it was not done after ${deadlines.limit / 1000} s`),
    deadlines.limit,
  )
  let quiet = setTimeout(() => {}, 0)
  try {
    for await (const event of client.events({
      follow: true,
      after: 0,
      signal: AbortSignal.any([signal, over.signal]),
    })) {
      clearTimeout(quiet)
      quiet = setTimeout(
        () => stop(`nothing happened for ${deadlines.quiet / 1000} s`),
        deadlines.quiet,
      )
      if (event.type === 'agent.spawned' && event.agentId !== null)
        names.set(event.agentId, String(event.payload['name']))
      display.show(momentOf(event, names))
      const ending = endingOf(event)
      if (ending !== null) return ending
    }
  } finally {
    clearTimeout(limit)
    clearTimeout(quiet)
  }
  return { kind: 'stuck', reason: signal.aborted ? 'it was interrupted' : reason }
}

/**
 * Waits until every message has arrived and every agent idles. Returns what still stands after that
 * time, or null.
 */
export async function settleTree(
  client: Client,
  { settle }: Deadlines,
  signal: AbortSignal,
): Promise<string | null> {
  const deadline = Date.now() + settle
  for (;;) {
    const agents = flatten((await client.call('tree', {}, { signal })).root)
    const busy = agents.filter((agent) => agent.undelivered > 0 || agent.state !== 'idle')
    if (busy.length === 0) return null
    if (Date.now() > deadline)
      return busy
        .map(
          ({ name, state, undelivered }) =>
            `${name} is ${state} with ${undelivered} messages undelivered`,
        )
        .join('; ')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export async function allEvents(client: Client): Promise<WireEvent[]> {
  const events: WireEvent[] = []
  for await (const event of client.events({ follow: false, after: 0 })) events.push(event)
  return events
}
