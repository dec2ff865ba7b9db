/**
 * Size of the smallest pane that an agent’s screen is of use in: where a window has no room for
 * another of these, the agent gets one of its own.
 */
export const LEAST = { columns: 60, rows: 12 } as const
