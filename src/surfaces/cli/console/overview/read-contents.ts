import { MAJOR_TYPES } from '../../../text/event-line.ts'
import { asExomonadError } from '../../../../domain/errors.ts'
import type { Client, WireEvent } from '../../../client.ts'
import { nodeOf, type Action, type ConsoleState } from '../state.ts'
import type { Store } from '../store.ts'
import { contentKey, type Content, type Tab } from './overview.ts'

export interface Heard {
  readonly events: number
  /** Those of pull requests among them. */
  readonly pulls: number
}

/** What a tab’s content changes with; mail makes no event, but it is counted. */
function versionOf(tab: Tab, state: ConsoleState, heard: Heard): unknown {
  const node = nodeOf(state, state.viewed)
  switch (tab) {
    case 'diff':
      return [node?.pr?.number, heard.pulls]
    case 'timeline':
      return heard.events
    case 'mail':
      return [node?.unread, node?.undelivered]
    case 'terminal':
    case 'task':
      return null
  }
}

/** Of an agent’s timeline the newest. */
const EVENTS = 300

/**
 * Reads what the tab that is shown needs, of the agent that is viewed. Returns when it wants to be
 * done again by itself: never. What did not change since is not read again.
 */
export function createContents({
  client,
  clientFor,
  store: { get, dispatch },
  heard,
  signal,
}: {
  client: Client
  clientFor: (agent: string) => Client
  store: Store<ConsoleState, Action>
  /** How many events came so far. */
  heard: () => Heard
  signal: AbortSignal
}): () => Promise<number> {
  let known = ''
  const read = async (tab: Tab, agent: string): Promise<Content | null> => {
    switch (tab) {
      case 'diff': {
        const number = nodeOf(get(), agent)?.pr?.number
        if (number === undefined)
          return { kind: 'nothing', why: 'It has filed no pull request yet.' }
        const read = await client.call('pr_diff', { pr_number: number }, { signal })
        return { kind: 'diff', number, head: read.head_sha, diff: read.diff }
      }
      case 'timeline': {
        const events: WireEvent[] = []
        const query = { agent, types: MAJOR_TYPES, last: EVENTS, follow: false, signal }
        for await (const event of client.events(query)) events.push(event)
        return { kind: 'timeline', events }
      }
      case 'mail': {
        const { messages } = await clientFor(agent).call('check_mail', { peek: true }, { signal })
        return { kind: 'mail', messages }
      }
      case 'terminal':
      case 'task':
        return null
    }
  }

  return async () => {
    const { viewed: agent, overview, place } = get()
    const { tab } = overview
    const node = nodeOf(get(), agent)
    if (place !== 'overview' || node === undefined) return Number.POSITIVE_INFINITY
    const stamp = JSON.stringify([tab, agent, versionOf(tab, get(), heard())])
    const isThere = overview.contents[contentKey(tab, agent)] !== undefined
    if (isThere && stamp === known) return Number.POSITIVE_INFINITY
    try {
      const content = await read(tab, agent)
      if (content !== null) dispatch({ type: 'content', agent, tab, content })
      known = stamp
    } catch (error) {
      if (!signal.aborted && !isThere)
        dispatch({
          type: 'content',
          agent,
          tab,
          content: { kind: 'nothing', why: asExomonadError(error).message },
        })
    }
    return Number.POSITIVE_INFINITY
  }
}
