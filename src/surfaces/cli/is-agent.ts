import type { Environment } from '../../config/environment.ts'

/**
 * Whether the command line was called by an agent: what is left out then, nobody is there to add.
 * The daemon decides what it may do.
 */
export const isAgent = ({ agentId, token, authFile }: Environment): boolean =>
  agentId !== null || token !== null || authFile !== null
