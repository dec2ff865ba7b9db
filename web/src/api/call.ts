import type { ToolInput, ToolName, ToolResult } from '../../../src/tools/types.ts'
import { request } from './request.ts'

export type { ToolInput, ToolName, ToolResult }

/** Calls a tool of the daemon, with the types of its own schemas. Throws ApiError. */
export const call = <Name extends ToolName>(
  name: Name,
  input: ToolInput<Name>,
  options: {
    readonly signal?: AbortSignal | undefined
    /** Asked for again under the same key, it is not done again. */
    readonly key?: string
    /** Agent to act for: its id. */
    readonly as?: string
  } = {},
): Promise<ToolResult<Name>> =>
  request<ToolResult<Name>>(`/v1/tools/${name}`, {
    body: input,
    signal: options.signal,
    headers: {
      ...(options.key === undefined ? {} : { 'idempotency-key': options.key }),
      ...(options.as === undefined ? {} : { 'x-exomonad-as': options.as }),
    },
  })
