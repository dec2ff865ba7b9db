import { reportsNoLack } from '../lack.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import { createHeldAnswers } from '../network/held-answers.ts'
import type { GithubClient } from './client/client.ts'
import type { GithubForgeOptions } from './options.ts'
import type { Association } from './reading/answers.ts'

/**
 * What GitHub says beside somebody’s words. It does not know of rights through a team or a private
 * membership, and counts members who may only read.
 */
const ASSOCIATED: readonly Association[] = ['OWNER', 'MEMBER', 'COLLABORATOR']

/**
 * Whether a person may write to the repository, as GitHub itself says. Bots are no persons.
 * `association` decides where the token may not ask (403); without one that is FORGE_DENIED.
 * FORGE_UNAVAILABLE where GitHub is away and nothing was known before.
 */
export type WriteAccess = (account: Account, association?: Association) => Promise<boolean>

export function createWriteAccess({
  client,
  clock,
  log,
  reportLack = reportsNoLack,
}: Pick<GithubForgeOptions, 'clock' | 'log' | 'reportLack'> & {
  client: Pick<GithubClient, 'rest'>
}): WriteAccess {
  /** The refusal where the token may not ask. */
  type Answer = boolean | ExomonadError
  let isSaid = false

  const ask = async (login: string): Promise<Answer> => {
    try {
      // 404: nobody has that name, or not any more.
      const { status, data } = await client.rest<{ permission?: string }>(
        'GET /repos/{owner}/{repo}/collaborators/{username}/permission',
        { username: login },
        { accept: [404] },
      )
      return status !== 404 && (data.permission === 'admin' || data.permission === 'write')
    } catch (error) {
      if (
        !(error instanceof ExomonadError) ||
        error.code !== 'FORGE_DENIED' ||
        error.facts['status'] !== 403
      )
        throw error
      if (isSaid) return error
      log.warn(
        { err: error },
        'who has write access is not for the token to ask: members, collaborators and the owner are taken for those who have',
      )
      isSaid = true
      await reportLack({
        key: 'write-access',
        what: 'Who has write access is not for the token to ask: members, collaborators and the owner are taken for those who have',
        why: error.message,
        fix: '`exomonad doctor` says what the token lacks.',
      })
      return error
    }
  }

  const answerFor = createHeldAnswers({ ask, clock })

  return async ({ login, bot }, association) => {
    if (bot) return false
    const answer = await answerFor(login)
    if (typeof answer === 'boolean') return answer
    if (association === undefined) throw answer
    return ASSOCIATED.includes(association)
  }
}

/** Whoever wrote something, by the name that REST and people use: apps are `name[bot]`. */
export interface Account {
  readonly login: string
  readonly bot: boolean
}
