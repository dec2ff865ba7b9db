import type { AcpTool, AcpUpdate, AcpUsage } from '../acp/acp.ts'
import type { ACPAgentToolCall, ACPStreamChunk, ACPTokenUsage } from './acp-types.ts'

/** A session’s tool calls by id: updates hold only what changed. */
export type KnownCalls = Map<string, ACPAgentToolCall>

export function mergeCall(known: KnownCalls, tool: AcpTool): ACPAgentToolCall {
  const before = known.get(tool.id)
  const detail = tool.detail ?? before?.detail
  const output = tool.output ?? before?.output
  const call = Object.freeze({
    id: tool.id,
    title: tool.title ?? before?.title ?? 'tool',
    kind: tool.kind ?? before?.kind ?? 'other',
    status: tool.status ?? before?.status ?? 'pending',
    ...(detail === undefined ? {} : { detail }),
    ...(output === undefined ? {} : { output }),
  })
  known.set(tool.id, call)
  return call
}

/** Undefined for what says nothing to a reader of answers. */
export function asChunk(known: KnownCalls, update: AcpUpdate): ACPStreamChunk | undefined {
  if (update.kind === 'message') return { type: 'delta', text: update.text }
  if (update.kind === 'thought') return { type: 'thought', text: update.text }
  if (update.kind !== 'tool') return undefined
  const first = !known.has(update.tool.id)
  return { type: first ? 'tool_call' : 'tool_call_update', toolCall: mergeCall(known, update.tool) }
}

/** What was read from and written to caches counts as read. */
export function asTokens(usage: AcpUsage | null): ACPTokenUsage | undefined {
  if (usage === null) return undefined
  let promptTokens = 0
  let completionTokens = 0
  for (const { input, output, cacheRead, cacheWrite } of Object.values(usage.models)) {
    promptTokens += input + cacheRead + cacheWrite
    completionTokens += output
  }
  return { promptTokens, completionTokens, totalTokens: promptTokens + completionTokens }
}
