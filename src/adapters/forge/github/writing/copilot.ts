import { ExomonadError } from '../../../../domain/errors.ts'
import type { BranchName } from '../../../../domain/ids.ts'
import type { Forge } from '../../forge.ts'
import { reportsNoLack } from '../../lack.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import type { LeftPull } from './file.ts'
import { lookAt, PULL, type RawPull } from './pull.ts'
import { refusalIn } from './refusal.ts'

const REVIEWER = 'copilot-pull-request-reviewer[bot]'
/** Its names: as it is asked, as it stands among those who were asked, and as it reviews. */
const isCopilot = ({ login }: { readonly login: string }): boolean =>
  /^copilot(-pull-request-reviewer)?(\[bot\])?$/i.test(login)
const isAsked = (pull: Pick<RawPull, 'requested_reviewers'>): boolean =>
  (pull.requested_reviewers ?? []).some(isCopilot)

const KEY = 'github:copilot'
/** Milliseconds for which a refusal holds: a plan may be bought, a setting changed. */
const HOLDS = 7 * 24 * 3600 * 1000
/**
 * Pull requests for which it is remembered that Copilot was asked: filing again costs no request
 * for them.
 */
const MOST = 200

interface Remembered {
  /** Numbers, oldest first. */
  readonly asked: readonly number[]
  /** When GitHub said last that Copilot isn’t to be had. Milliseconds since the epoch. */
  readonly refused: number | null
}

/**
 * Asks Copilot for a review, once for each pull request, and sees to it that GitHub took it: where
 * Copilot isn’t to be had GitHub says so, or says nothing at all. That is reported to the root once, and
 * Copilot is not asked for a week, or until the setting was off.
 */
export function createReviewRequests({
  client,
  settings,
  store: { snapshots },
  clock,
  log,
  reportLack = reportsNoLack,
  find,
  filed,
}: Pick<GithubForgeOptions, 'settings' | 'store' | 'clock' | 'log' | 'reportLack'> & {
  client: Pick<GithubClient, 'rest' | 'pages'>
  find: Forge['find']
  /**
   * What filing has just learned of a pull request; undefined where it was not filed just now.
   */
  filed: (number: number) => LeftPull | undefined
}): Pick<Forge, 'requestReview'> {
  const recall = async (): Promise<Remembered> => ({
    asked: [],
    refused: null,
    ...(await snapshots.get(KEY)),
  })
  const remember = (now: Remembered): Promise<void> =>
    snapshots.put(KEY, { asked: now.asked.slice(-MOST), refused: now.refused })

  const reviewed = async (number: number): Promise<boolean> => {
    const reviews = await client.pages<{ user: { login: string } | null }>(`GET ${PULL}/reviews`, {
      pull_number: number,
    })
    return reviews.some(({ user }) => user !== null && isCopilot(user))
  }

  /** Why Copilot isn’t to be had; null where it was asked. */
  const ask = async (pull: RawPull, created: boolean): Promise<string | null> => {
    const { number } = pull
    if (isAsked(pull) || (!created && (await reviewed(number)))) return null
    try {
      const answer = await client.rest<RawPull>(
        `POST ${PULL}/requested_reviewers`,
        { pull_number: number, reviewers: [REVIEWER] },
        { accept: [404, 422], retry: false },
      )
      if (answer.status >= 400) return refusalIn(answer).words
      if (isAsked(answer.data) || isAsked(await lookAt(client, number)) || (await reviewed(number)))
        return null
      return 'GitHub took the request and asked nobody'
    } catch (error) {
      // Without a token that counts nothing is said of Copilot.
      if (
        !(error instanceof ExomonadError) ||
        error.code !== 'FORGE_DENIED' ||
        error.facts['status'] === 401
      )
        throw error
      return error.message
    }
  }

  const askOnce = async (pull: RawPull, created: boolean): Promise<void> => {
    const { number } = pull
    const { asked, refused } = await recall()
    if (asked.includes(number) || (refused !== null && clock() - refused < HOLDS)) return
    const why = await ask(pull, created)
    const before = await recall()
    if (why === null) return remember({ asked: [...before.asked, number], refused: null })
    log.warn(
      { number, reason: why },
      'Copilot can’t be had as a reviewer: it is not asked for a week',
    )
    // First: what is remembered as refused is not tried again.
    await reportLack({
      key: 'copilot',
      what: 'Copilot can’t be had as a reviewer of pull requests',
      why,
      fix: 'Have somebody else look at them. Copilot is not asked for a week; forge.github.copilot_review = false turns it off.',
    })
    await remember({ ...before, refused: clock() })
  }

  const ofCopilot = async (pull: RawPull, created: boolean): Promise<void> => {
    if (settings().copilotReview) return pull.draft ? undefined : askOnce(pull, created)
    const known = await recall()
    if (known.refused !== null) await remember({ ...known, refused: null })
  }

  return {
    async requestReview(number) {
      const known = filed(number)
      const pull = known?.pull ?? (await lookAt(client, number))
      if (pull.state !== 'open') return null
      const same =
        known?.ofHead ?? (await find({ state: 'open', heads: [pull.head.ref as BranchName] }))
      await ofCopilot(pull, known?.created ?? false)
      return same.length < 2
        ? null
        : `${same.map((one) => `#${one}`).join(' and ')} have the same head ${pull.head.ref}: close all but one, or what is pushed counts for each.`
    },
  }
}
