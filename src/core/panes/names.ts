import type { Pane } from '../../adapters/terminals/holder.ts'
import { type Shown, shownKey } from '../../domain/shown-key.ts'
import type { Agent } from '../../domain/records.ts'
import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { AgentId } from '../../domain/ids.ts'
import { HEADLESS_PANE } from '../../domain/panes/headless-pane.ts'
import { stateWords } from '../../domain/state-words.ts'
import type { Deps } from '../deps.ts'
import { createPaced } from '../once-per-interval.ts'
import { inboxNeeds, labelsOf, needOf, type InboxNeeds } from './labels.ts'
import type { OwnPanes } from './panes.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import { isFolded } from '../agents/tree.ts'

/** Names of panes show where in the tree an agent is and how it does; they follow what happens. */
export interface PaneNames {
  /**
   * Looks at the panes of all living agents. For what no event reports: a start of the daemon, a
   * pane that was found again.
   */
  look(): Promise<void>
  /** Resolves when no renaming is under way; none begins afterwards. */
  stop(): Promise<void>
}

/** Events after which an agent’s name may be another one. */
const TELLING: ReadonlySet<string> = new Set([
  'agent.spawned',
  'agent.started',
  'agent.state',
  'agent.completed',
  'agent.failed',
  'pr.opened',
  'pr.reopened',
  'pr.merged',
  'question.asked',
  'question.answered',
  'approval.requested',
  'approval.decided',
])
/** Events after which others may be called otherwise, because there is one more or one less. */
const COMING_AND_GOING: ReadonlySet<string> = new Set([
  'agent.spawned',
  'agent.completed',
  'agent.failed',
  'agent.killed',
  'agent.reaped',
])
/**
 * Milliseconds between two names of one agent: an agent that goes back and forth changes nobody’s
 * window all the time.
 */
const INTERVAL = 250
/** Milliseconds between two looks at who is there. */
const LABEL_INTERVAL = 1000
/** Characters of the place. */
const PLACE = 60

/**
 * The branch, with as much of its end as there is room for; who works on another’s branch has its
 * name beside it, as in `exomonad tree`.
 */
export function placeOf(
  { kind, branch, name }: Pick<Agent, 'kind' | 'branch' | 'name'>,
  room = PLACE,
): string {
  const beside = sharesBranch({ kind }) ? ` (${fromEnd(name, room / 2)})` : ''
  return `${fromEnd(branch, room - beside.length)}${beside}`
}

function fromEnd(text: string, room: number): string {
  if (text.length <= room) return text
  const cut = text.slice(1 - room)
  const dot = cut.indexOf('.')
  // At a dot, where what follows is more than half of it.
  return `…${dot >= 0 && dot < cut.length / 2 ? cut.slice(dot) : cut}`
}

export function paneName(
  agent: Pick<Agent, 'kind' | 'branch' | 'name' | 'state' | 'stateReason' | 'outcome'>,
  merged = false,
): string {
  const { sign, word } = stateWords({ ...agent, merged })
  return `${placeOf(agent)} ${sign} ${word}`
}

interface Wanted {
  readonly name: string
  readonly shown: Shown
}

export function createPaneNames({
  store,
  multiplexer,
  publisher,
  log,
  panes,
  interval = INTERVAL,
}: Pick<Deps, 'store' | 'multiplexer' | 'publisher' | 'log'> & {
  panes: Pick<OwnPanes, 'find'>
  interval?: number
}): PaneNames {
  /** What the pane of an agent’s program is known to be called. */
  const known = new Map<AgentId, string>()
  let labels = new Map<AgentId, string>()
  // Ids of panes may come again for another program; both do not.
  const keyOf = (agent: Agent, { name, shown }: Wanted): string =>
    `${agent.paneId} ${agent.pid} ${name} ${shownKey(shown)}`

  const mergedNow = async (agents: readonly Agent[]): Promise<ReadonlySet<string>> =>
    agents.some(({ state }) => state === 'idle')
      ? mergedBranches(await knownPulls(store))
      : new Set()
  const wantedFor = (agent: Agent, merged: ReadonlySet<string>, needs: InboxNeeds): Wanted => {
    const folded = isFolded(agent, merged)
    const { sign, word } = stateWords({ ...agent, merged: folded })
    const shown = {
      label: labels.get(agent.id) ?? agent.name,
      state: `${sign} ${word}`,
      needs: needOf(agent, needs),
      depth: agent.depth,
    }
    return { name: paneName(agent, folded), shown }
  }
  const isRight = (pane: Pane, { name, shown }: Wanted): boolean =>
    pane.name === name && (pane.shown === undefined || pane.shown === shownKey(shown))
  const hasTerminal = ({ paneId }: Agent): boolean =>
    paneId !== null && !paneId.startsWith(HEADLESS_PANE)

  const name = async (id: AgentId): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined || !hasTerminal(agent)) return
    const wanted = wantedFor(agent, await mergedNow([agent]), await inboxNeeds(store))
    const key = keyOf(agent, wanted)
    if (known.get(id) === key) return
    const pane = await panes.find(agent)
    if (pane === undefined) return void known.delete(id)
    if (!isRight(pane, wanted)) await multiplexer.rename(pane.paneId, wanted.name, wanted.shown)
    known.set(id, key)
  }

  const naming = createPaced<AgentId>({
    interval,
    run: name,
    // It may have gone meanwhile. What lasts is tried again at the next look.
    failed: (thrown, id) => log.debug({ err: thrown, agent: id }, 'a pane could not be named'),
  })
  const label = async (): Promise<readonly Agent[]> => {
    const agents = (await store.agents.list({ live: true })).filter(hasTerminal)
    const before = labels
    labels = labelsOf(agents)
    for (const [id, text] of labels)
      if (before.size > 0 && before.get(id) !== text) naming.request(id)
    return agents
  }
  const labelling = createPaced<'all'>({
    interval: LABEL_INTERVAL,
    run: async () => void (await label()),
    failed: (thrown) =>
      log.debug({ err: thrown }, 'what panes are to be called could not be determined'),
  })
  const leave = publisher.onEvent(({ type, agentId }) => {
    if (COMING_AND_GOING.has(type)) labelling.request('all')
    if (agentId !== null && TELLING.has(type)) naming.request(agentId)
  })

  return {
    look: async () => {
      const agents = await label()
      const merged = await mergedNow(agents)
      const needs = await inboxNeeds(store)
      const open = agents
        .map((agent) => ({ agent, wanted: wantedFor(agent, merged, needs) }))
        .filter(({ agent, wanted }) => known.get(agent.id) !== keyOf(agent, wanted))
      if (open.length === 0) return
      const listed = new Map<string, Pane>(
        (await multiplexer.list()).map((pane) => [pane.paneId, pane]),
      )
      for (const { agent, wanted } of open) {
        const pane = listed.get(agent.paneId ?? '')
        if (pane?.agentId !== agent.id) continue
        if (isRight(pane, wanted)) known.set(agent.id, keyOf(agent, wanted))
        else naming.request(agent.id)
      }
    },
    stop: async () => {
      leave()
      await labelling.stop()
      await naming.stop()
    },
  }
}
