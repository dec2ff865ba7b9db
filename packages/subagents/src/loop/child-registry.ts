import { createToolRegistry } from '../tools/tool-registry.ts'
import type { ToolRegistry } from './types.ts'

/** The names of the tools that this folder registers. */
const SUBAGENT_TOOLS = ['subagent_spawn', 'subagent_delegate'] as const

export const isSubagentTool = (name: string): boolean =>
  SUBAGENT_TOOLS.some((tool) => tool === name)

/**
 * A registry with the parent’s tools as they are now, but without those for subagents: these are
 * registered anew, a level deeper. Calls go through the parent’s registry, so that a tool which is
 * taken from the parent is gone for its children too.
 */
export function createChildRegistry(parent: ToolRegistry): ToolRegistry {
  const child = createToolRegistry()
  for (const definition of parent.getToolDefinitions()) {
    if (isSubagentTool(definition.name)) continue
    child.register(definition, async (args, { call, signal }) => {
      const result = await parent.execute(
        { id: call.id, name: definition.name, arguments: args },
        { signal },
      )
      if (result.isError) throw new Error(result.output)
      return result.output
    })
  }
  return child
}
