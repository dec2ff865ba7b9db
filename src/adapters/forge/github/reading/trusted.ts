import type { WriteAccess, Account } from '../write-access.ts'
import type { Association, RawActor, RawWords } from './answers.ts'

/** GitHub’s own stand-in for accounts that are gone. */
const GHOST: Account = { login: 'ghost', bot: false }
const COPILOT = 'copilot-pull-request-reviewer[bot]'

export function accountOf(actor: RawActor | null): Account {
  if (actor === null) return GHOST
  const bot = actor.__typename === 'Bot'
  return { login: bot && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login, bot }
}

export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/**
 * Whose words may reach an agent: people who may write here, the token’s own account, the bots that
 * were named, and Copilot’s reviewer.
 */
export type Trust = (account: Account, association: Association) => boolean

/** The same, where GitHub may have to be asked. Throws what `WriteAccess` throws. */
export type Believes = (account: Account, association: Association) => Promise<boolean>

export function createBelieves({
  viewer,
  trustedBots,
  mayWrite,
}: {
  viewer: string
  trustedBots: readonly string[]
  mayWrite: WriteAccess
}): Believes {
  const named = new Set(trustedBots.map((login) => login.toLowerCase().replace(/\[bot\]$/, '')))
  return async (account, association) => {
    const { login, bot } = account
    if (isSame(login, viewer)) return true
    if (!bot) return mayWrite(account, association)
    return login === COPILOT || named.has(login.toLowerCase().replace(/\[bot\]$/, ''))
  }
}

/**
 * Whom of those who wrote something here is believed, each asked for once. Whoever wrote nothing
 * here is not.
 */
export async function trustOf(
  words: Iterable<Pick<RawWords, 'author' | 'authorAssociation'>>,
  believes: Believes,
): Promise<Trust> {
  const writers = new Map<
    string,
    { readonly account: Account; readonly association: Association }
  >()
  for (const { author, authorAssociation: association } of words) {
    const account = accountOf(author)
    if (author !== null && !writers.has(account.login))
      writers.set(account.login, { account, association })
  }
  const believed = new Set<string>()
  await Promise.all(
    [...writers.values()].map(async ({ account, association }) => {
      if (await believes(account, association)) believed.add(account.login)
    }),
  )
  return ({ login }) => believed.has(login)
}
