/**
 * The library: a client of a running daemon with the schemas and tables that its answers follow,
 * and subagents for programs of one’s own, which need no daemon (docs/library.md). Nothing inside
 * imports this file.
 *
 *   const client = createClient({ socket, token })
 *   const { spawned } = await client.call('spawn_workers', {
 *     specs: [{ name: 'auth', prompt: 'Add a login page.' }],
 *   })
 *   for (const { name, branch } of spawned) console.log(`${name} works on ${branch}`)
 *   for await (const event of client.events({ follow: true })) console.log(event.type)
 */
export {
  createClient,
  type CallOptions,
  type Client,
  type ClientOptions,
  type EventQuery,
  type WireEvent,
} from './surfaces/client.ts'
export { ERRORS, type ErrorCode } from './domain/error-codes.ts'
export { ExomonadError, type ErrorFacts } from './domain/errors.ts'
export { EVENTS, type EventPayload, type EventType } from './events/event.ts'
export { configSchema, type AgentConfig, type Config } from './config/schema.ts'
export { ALL_TOOLS, toolNamed } from './tools/all.ts'
export type { AnyTool, Audience, Tool } from './tools/define.ts'
export type { ToolInput, ToolName, ToolResult } from './tools/types.ts'
export type { TreeNode, TreeView } from './core/agents/tree-document.ts'
export type { AgentId, BranchName, Sha, Slug } from './domain/ids.ts'
export { slugify } from './domain/formats/slug.ts'
export * from '../packages/subagents/src/index.ts'
