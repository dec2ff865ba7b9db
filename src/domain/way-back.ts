import { isLasting } from './lifecycle.ts'
import type { Agent } from './records.ts'
import { sharesBranch } from './agent-kinds.ts'

/** How what an ended agent was at can go on, as a sentence for a person; empty where it can’t. */
export function wayBack(agent: Pick<Agent, 'name' | 'kind' | 'state' | 'branch'>): string {
  if (!isLasting(agent)) return ''
  if (agent.state === 'failed')
    return `\`exomonad resume ${agent.name}\` starts it again where that is wanted.`
  if (sharesBranch(agent)) return 'It does not come back; fork its parent again.'
  return `It does not come back; \`exomonad spawn workers NAME="what to do" --branch ${agent.branch}\` has a new agent go on with its work.`
}
