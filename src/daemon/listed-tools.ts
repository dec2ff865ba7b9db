import type { Store } from '../adapters/store/store.ts'
import type { Config } from '../config/schema.ts'
import type { Deps } from '../core/deps.ts'
import type { Renderer } from '../delivery/render/render.ts'
import { parseAgentId } from '../domain/ids.ts'
import type { Agent } from '../domain/records.ts'
import { readSlots } from '../domain/slots.ts'
import { mayAgentUse } from '../surfaces/tool-access.ts'
import { ALL_TOOLS } from '../tools/all.ts'
import type { AnyTool } from '../tools/define.ts'

/** The tools that an agent is shown: the listed ones that its role and its program allow. */
export const listedTools = (
  { roles }: Config,
  agent: Pick<Agent, 'role' | 'tools'>,
): readonly AnyTool[] =>
  ALL_TOOLS.filter((tool) => tool.listed && mayAgentUse(tool, agent, (role) => roles[role]?.tools))

/** First prompts, which say what tools there are. */
export function createPrompts(deps: {
  readonly store: Store
  readonly renderer: Renderer
}): Deps['prompts'] {
  const { store, renderer } = deps
  return async (config, name, { role, ...data }) => {
    const { tools = null } = (await store.agents.get(parseAgentId(data.agent_id))) ?? {}
    const slot = (await readSlots(store)).get(data.worktree)
    return renderer.renderPrompt(name, {
      tools: listedTools(config, { role, tools }).map(({ name: tool, description }) => ({
        name: tool,
        description,
      })),
      slot: String(slot?.slot ?? ''),
      port_base: String(slot?.portBase ?? ''),
      ...data,
    })
  }
}
