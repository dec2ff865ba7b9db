/**
 * The library: a client of a running daemon, and the schemas and tables that its answers follow. Nothing inside imports this file.
 *
 *   const client = createClient({ socket, token })
 *   const { spawned } = await client.callTool('spawn_workers', { specs: [{ name: 'auth', prompt: '…' }] })
 *   for await (const event of client.events({ follow: true })) console.log(event.type)
 */
export { createClient, type Client, type ClientOptions, type EventQuery, type WireEvent } from './surfaces/client.ts'
export { ERRORS, ExomonadError, type ErrorCode, type ErrorFacts } from './errors.ts'
export { EVENTS, type EventPayload, type EventType } from './events/event.ts'
export { configSchema, type AgentConfig, type Config } from './config/schema.ts'
export { ALL_TOOLS, toolNamed } from './tools/all.ts'
export type { AnyTool, Audience, Tool } from './tools/define.ts'
export type { TreeNode, TreeView } from './core/core.ts'
export { slugify, type AgentId, type BranchName, type Sha, type Slug } from './ids.ts'
