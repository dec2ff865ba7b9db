import type { ACPAgentToolCall } from '../client/acp-types.ts'
import type { ToolDefinition } from './tool-types.ts'

/** What the registry is called among an agent’s MCP servers. */
export const REGISTRY_SERVER = 'exomonad-library'

/**
 * Whether an agent’s tool call is one of the registry’s, as agents name such calls:
 * `mcp__SERVER__TOOL`, `SERVER_TOOL`, `TOOL (SERVER MCP Server)` and the like. The whole title must
 * be that, so that no command line that mentions a tool passes for it.
 */
export const isRegistryCall = (
  definitions: readonly ToolDefinition[],
  { title }: ACPAgentToolCall,
): boolean => definitions.some(({ name }) => titlesOf(name).includes(title.trim()))

/** The same for counting and display alone, where the tool’s bare name will do. */
export const isCallOf = (definitions: readonly ToolDefinition[], call: ACPAgentToolCall): boolean =>
  definitions.some(({ name }) => name === call.title.trim()) || isRegistryCall(definitions, call)

const titlesOf = (name: string): string[] => [
  `mcp__${REGISTRY_SERVER}__${name}`,
  `mcp.${REGISTRY_SERVER}.${name}`,
  `${REGISTRY_SERVER}__${name}`,
  `${REGISTRY_SERVER}_${name}`,
  `${REGISTRY_SERVER}.${name}`,
  `${REGISTRY_SERVER}/${name}`,
  `${REGISTRY_SERVER}: ${name}`,
  `Tool: ${REGISTRY_SERVER}/${name}`,
  `${name} (${REGISTRY_SERVER} MCP Server)`,
]
