import type { Association, RawActor } from './answers.ts'

/** Whoever wrote something, by the name that REST and people use: apps are `name[bot]`. */
export interface Account {
  readonly login: string
  readonly bot: boolean
}

/** GitHub’s own stand-in for accounts that are gone. */
const GHOST: Account = { login: 'ghost', bot: false }
const COPILOT = 'copilot-pull-request-reviewer[bot]'
const MAY_WRITE: readonly Association[] = ['OWNER', 'MEMBER', 'COLLABORATOR']

export function accountOf(actor: RawActor | null): Account {
  if (actor === null) return GHOST
  const bot = actor.__typename === 'Bot'
  return { login: bot && !actor.login.endsWith('[bot]') ? `${actor.login}[bot]` : actor.login, bot }
}

export const isSame = (a: string, b: string): boolean => a.toLowerCase() === b.toLowerCase()

/** Whose words may reach an agent: people who may write here, the token’s own account, the bots that were named, and Copilot’s reviewer. */
export type Trust = (account: Account, association: Association) => boolean

export function createTrust({ viewer, trustedBots }: { viewer: string; trustedBots: readonly string[] }): Trust {
  const named = new Set(trustedBots.map((login) => login.toLowerCase().replace(/\[bot\]$/, '')))
  return ({ login, bot }, association) => {
    if (isSame(login, viewer)) return true
    if (!bot) return MAY_WRITE.includes(association)
    return login === COPILOT || named.has(login.toLowerCase().replace(/\[bot\]$/, ''))
  }
}
