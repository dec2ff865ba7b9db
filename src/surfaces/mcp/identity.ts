import type { IncomingHttpHeaders } from 'node:http'
import type { Caller } from '../../domain/caller.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { identify, type AuthDeps } from '../auth.ts'
import { actsAsHuman, identityOf } from '../tool-access.ts'

/**
 * Who speaks MCP. It is always a program that a model steers, so the owner’s token gives it the
 * part of the root’s agent, or with `--as` of another, and never that of the human: what only people
 * may do stays with them.
 */
export async function identifyAgent(deps: AuthDeps, headers: IncomingHttpHeaders): Promise<Caller> {
  const caller = await identify(deps, headers)
  return actsAsHuman(caller)
    ? { kind: 'agent', agent: caller.agent }
    : identityOf(caller, { by: 'program' })
}

/**
 * The same on loopback, where agents’ tokens alone count: the owner’s belongs into no URL’s
 * configuration.
 */
export async function identifyOnLoopback(
  deps: AuthDeps,
  headers: IncomingHttpHeaders,
): Promise<Caller> {
  const caller = await identify(deps, { authorization: headers.authorization })
  if (caller.kind === 'agent') return caller
  throw new ExomonadError(
    'NOT_ALLOWED',
    'The owner’s token does nothing here. Use `exomonad mcp` as the MCP server of a program of your own.',
  )
}
