import type { Pane } from '../adapters/terminals/holder.ts'
import type { Agent } from '../adapters/store/store.ts'
import { sharesBranch } from '../agent-kinds.ts'
import type { AgentId } from '../ids.ts'
import { HEADLESS_PANE } from '../headless-pane.ts'
import { stateWords } from '../state-words.ts'
import type { Deps } from './deps.ts'
import { createPaced } from './paced.ts'
import type { OwnPanes } from './panes.ts'
import { knownPulls, mergedBranches } from './pull-records.ts'
import { isFolded } from './tree.ts'

/** Names of panes show where in the tree an agent is and how it does; they follow what happens. */
export interface PaneNames {
  /** Looks at the panes of all living agents. For what no event tells: a start of the daemon, a pane that was found again. */
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
])
/** Milliseconds between two names of one agent: an agent that goes back and forth changes nobody’s window all the time. */
const INTERVAL = 250
/** Characters of the place: status lines hold several names. */
const PLACE = 40

/** The branch, with as much of its end as there is room for; who works on another’s branch has its name beside it, as in `exomonad tree`. */
export function placeOf({ kind, branch, name }: Pick<Agent, 'kind' | 'branch' | 'name'>, room = PLACE): string {
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

export function paneName(agent: Pick<Agent, 'kind' | 'branch' | 'name' | 'state' | 'stateReason' | 'outcome'>, merged = false): string {
  const { sign, word } = stateWords({ ...agent, merged })
  return `${placeOf(agent)} ${sign} ${word}`
}

export function createPaneNames({
  store,
  multiplexer,
  publisher,
  log,
  panes,
  interval = INTERVAL,
}: Pick<Deps, 'store' | 'multiplexer' | 'publisher' | 'log'> & { panes: Pick<OwnPanes, 'find'>; interval?: number }): PaneNames {
  /** What the pane of an agent’s program is known to be called. */
  const known = new Map<AgentId, string>()
  // Ids of panes may come again for another program; both do not.
  const keyOf = (agent: Agent, name: string): string => `${agent.paneId} ${agent.pid} ${name}`

  const mergedNow = async (agents: readonly Agent[]): Promise<ReadonlySet<string>> =>
    agents.some(({ state }) => state === 'idle') ? mergedBranches(await knownPulls(store)) : new Set()
  const nameOf = (agent: Agent, merged: ReadonlySet<string>): string => paneName(agent, isFolded(agent, merged))
  const hasTerminal = ({ paneId }: Agent): boolean => paneId !== null && !paneId.startsWith(HEADLESS_PANE)

  const name = async (id: AgentId): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined || !hasTerminal(agent)) return
    const wanted = nameOf(agent, await mergedNow([agent]))
    const key = keyOf(agent, wanted)
    if (known.get(id) === key) return
    const pane = await panes.find(agent)
    if (pane === undefined) return void known.delete(id)
    if (pane.name !== wanted) await multiplexer.rename(pane.paneId, wanted)
    known.set(id, key)
  }

  const naming = createPaced<AgentId>({
    interval,
    run: name,
    // It may have gone meanwhile. What lasts is tried again at the next look.
    failed: (thrown, id) => log.debug({ err: thrown, agent: id }, 'a pane could not be named'),
  })
  const leave = publisher.onEvent(({ type, agentId }) => {
    if (agentId !== null && TELLING.has(type)) naming.request(agentId)
  })

  return {
    look: async () => {
      const agents = (await store.agents.list({ live: true })).filter(hasTerminal)
      const merged = await mergedNow(agents)
      const open = agents.map((agent) => ({ agent, wanted: nameOf(agent, merged) })).filter(({ agent, wanted }) => known.get(agent.id) !== keyOf(agent, wanted))
      if (open.length === 0) return
      const listed = new Map<string, Pane>((await multiplexer.list()).map((pane) => [pane.paneId, pane]))
      for (const { agent, wanted } of open) {
        const pane = listed.get(agent.paneId ?? '')
        if (pane?.agentId !== agent.id) continue
        if (pane.name === wanted) known.set(agent.id, keyOf(agent, wanted))
        else naming.request(agent.id)
      }
    },
    stop: async () => {
      leave()
      await naming.stop()
    },
  }
}
