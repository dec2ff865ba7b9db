import type { ToolResult } from '../../../tools/types.ts'

/**
 * What waits for the person, as the `inbox` tool gives it. Times are milliseconds since the epoch.
 */
export type Inbox = ToolResult<'inbox'>
