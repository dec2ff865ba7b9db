import { basename } from 'node:path'
import type { Environment } from '../../config/environment.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { repositoryHash, terminalsOf } from '../../runtime/paths.ts'

/**
 * Where this runs in a tmux server or Zellij session of a repository’s agents: what ends those
 * would be ended itself, half-way.
 */
export function ownTerminal(
  { variables, inside }: Environment,
  commonDir: string,
): 'tmux' | 'zellij' | null {
  const { tmuxSocket, zellijSession, formerZellijSession } = terminalsOf(repositoryHash(commonDir))
  // $TMUX is `SOCKET,PID,SESSION`.
  if (basename(variables['TMUX']?.split(',').slice(0, -2).join(',') ?? '') === tmuxSocket)
    return 'tmux'
  return inside.zellij &&
    [zellijSession, formerZellijSession].includes(variables['ZELLIJ_SESSION_NAME'] ?? '')
    ? 'zellij'
    : null
}

/** Throws NOT_AVAILABLE there; nothing was done. */
export function requireOtherTerminal(
  environment: Environment,
  commonDir: string,
  command: string,
): void {
  const own = ownTerminal(environment, commonDir)
  if (own === null) return
  const where = own === 'tmux' ? 'tmux' : 'the Zellij session'
  throw new ExomonadError(
    'NOT_AVAILABLE',
    `This terminal is in ${where} of the agents, which \`exomonad ${command}\` ends, and would end with it half-way. Nothing was changed: run it in another terminal.`,
    { multiplexer: own },
  )
}
