/**
 * Subagents for programs of one’s own: agents that speak the Agent Client Protocol, loops that run
 * them to the end of a task, and tools by which they begin subagents. Needs no daemon and no
 * repository (docs/library.md), and imports nothing of exomonad’s own sources.
 */
export {
  createAcpClient,
  type AcpClientOptions,
  type AcpServerOptions,
} from './client/acp-client.ts'
export type {
  ACPAgentInfo,
  ACPAgentToolCall,
  ACPChatMessage,
  ACPClient,
  ACPEmbedResult,
  ACPGenerateOptions,
  ACPGenerateResult,
  ACPPermissionPolicy,
  ACPPermissionRequest,
  ACPServerHealth,
  ACPSessionInfo,
  ACPStreamChunk,
  ACPTokenUsage,
  ACPToolSource,
} from './client/acp-types.ts'
export type { ErrorFacts } from './coded-error.ts'
export { ExomonadError, type SubagentErrorCode } from './errors.ts'
export { createAgenticLoop } from './loop/agentic-loop.ts'
export {
  createConversation,
  type Conversation,
  type ConversationMessage,
  type ConversationOptions,
} from './loop/conversation.ts'
export { registerSubagentTools } from './loop/subagent-tools.ts'
export type {
  AgenticLoop,
  LoopCallbacks,
  LoopOptions,
  LoopResult,
  SubagentCallbacks,
  SubagentInfo,
  SubagentResult,
  SubagentToolsOptions,
  ToolContext,
  ToolHandler,
  ToolRegistry,
} from './loop/types.ts'
export {
  createSubagentProgress,
  type SubagentProgress,
  type SubagentProgressOptions,
} from './terminal/progress.ts'
export { createToolRegistry, type ToolRegistryOptions } from './tools/tool-registry.ts'
export type {
  ToolArguments,
  ToolCallRequest,
  ToolCallResult,
  ToolCategory,
  ToolDefinition,
  ToolParameter,
} from './tools/tool-types.ts'
