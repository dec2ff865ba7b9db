/** Addresses of the page. */

export const agentPath = (id: string): string => `/agents/${encodeURIComponent(id)}`
export const pullPath = (number: number): string => `/pulls/${number}`
