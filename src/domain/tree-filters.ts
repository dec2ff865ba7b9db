import { stateWords } from './state-words.ts'

/** Groups of agents by how they do, and the states as they are shown. */
export const STATE_FILTERS = [
  'live',
  'spawning',
  'running',
  'waiting',
  'idle',
  'stopped',
  'unknown',
  'done',
  'merged',
  'completed',
  'failed',
  'killed',
  'red',
] as const
export type StateFilter = (typeof STATE_FILTERS)[number]

export const TREE_SORTS = ['age', 'name', 'state'] as const
export type TreeSort = (typeof TREE_SORTS)[number]

/** An agent as the tree has it. */
export interface StandingAgent {
  readonly state: string
  readonly state_reason: string | null
  readonly kind: string
  readonly outcome: { readonly success: boolean } | null
  readonly pr: { readonly state: string; readonly checks: string } | null
}

/** Its state as people read it: `merged` of an idle agent whose work was. */
export const shownState = (agent: StandingAgent): string =>
  stateWords({
    ...agent,
    stateReason: agent.state_reason,
    merged: agent.pr?.state === 'merged',
  }).word

/** Red checks on work that is still to land. */
export const isRed = ({ pr }: StandingAgent): boolean =>
  pr?.state === 'open' && pr.checks === 'failed'

/** Its program did, or it gave up. */
export const hasFailed = ({ state, outcome }: StandingAgent): boolean =>
  state === 'failed' || outcome?.success === false

const ENDED: ReadonlySet<string> = new Set(['completed', 'failed', 'killed'])

export const hasEnded = ({ state }: Pick<StandingAgent, 'state'>): boolean => ENDED.has(state)

export function isIn(agent: StandingAgent, filter: StateFilter): boolean {
  const word = shownState(agent)
  switch (filter) {
    case 'live':
      return !hasEnded(agent)
    case 'red':
      return isRed(agent)
    case 'failed':
      return hasFailed(agent)
    case 'done':
      return word === 'done' || word === 'merged' || word === 'completed'
    default:
      return word === filter
  }
}

/** States in the order of how soon somebody has to look: what failed first, what is over last. */
export const STATE_ORDER: readonly string[] = [
  'failed',
  'gave up',
  'unknown',
  'waiting',
  'running',
  'spawning',
  'idle',
  'stopped',
  'done',
  'completed',
  'merged',
  'killed',
]
