import { ExomonadError } from '../../../../errors.ts'
import type { BranchName } from '../../../../ids.ts'
import type { Forge } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubSettings } from '../options.ts'
import { lookAt, PULL, type RawPull } from './pull.ts'
import { refusalIn } from './refusal.ts'

const REVIEWER = 'copilot-pull-request-reviewer[bot]'
/** Its names: as it is asked, as it stands among those who were asked, and as it reviews. */
const isCopilot = ({ login }: { readonly login: string }): boolean => /^copilot(-pull-request-reviewer)?(\[bot\])?$/i.test(login)

/**
 * Asks Copilot for a review, once for each pull request, and sees to it that GitHub took it: where Copilot isn’t to be had GitHub says so, or
 * says nothing at all.
 */
export function createReviewRequests({
  client,
  settings,
  find,
}: {
  client: Pick<GithubClient, 'rest' | 'pages'>
  settings: () => GithubSettings
  find: Forge['find']
}): Pick<Forge, 'requestReview'> {
  const answers = new Map<number, string | null>()

  const reviewed = async (number: number): Promise<boolean> => {
    const reviews = await client.pages<{ user: { login: string } | null }>(`GET ${PULL}/reviews`, { pull_number: number })
    return reviews.some(({ user }) => user !== null && isCopilot(user))
  }
  const isAsked = (pull: Pick<RawPull, 'requested_reviewers'>): boolean => (pull.requested_reviewers ?? []).some(isCopilot)

  const refused = (number: number, why: string): string =>
    `Copilot can’t be had as a reviewer of #${number} (${why}): have somebody else look at it, or set forge.github.copilot_review = false.`

  const ask = async (pull: RawPull): Promise<string | null> => {
    const { number } = pull
    if (isAsked(pull) || (await reviewed(number))) return null
    try {
      const answer = await client.rest<RawPull>(
        `POST ${PULL}/requested_reviewers`,
        { pull_number: number, reviewers: [REVIEWER] },
        { accept: [404, 422], retry: false },
      )
      if (answer.status >= 400) return refused(number, refusalIn(answer).words)
      if (isAsked(answer.data) || isAsked(await lookAt(client, number)) || (await reviewed(number))) return null
      return refused(number, 'GitHub took the request and asked nobody')
    } catch (error) {
      if (!(error instanceof ExomonadError) || error.code !== 'FORGE_DENIED') throw error
      return refused(number, error.message)
    }
  }

  const remembered = async (pull: RawPull): Promise<string | null> => {
    const before = answers.get(pull.number)
    if (before !== undefined) return before
    const answer = await ask(pull)
    answers.set(pull.number, answer)
    return answer
  }

  return {
    async requestReview(number) {
      const pull = await lookAt(client, number)
      if (pull.state !== 'open') return null
      const same = await find({ state: 'open', heads: [pull.head.ref as BranchName] })
      const warnings = [
        same.length < 2
          ? null
          : `${same.map((one) => `#${one}`).join(' and ')} have the same head ${pull.head.ref}: close all but one, or what is pushed counts for each.`,
        settings().copilotReview && !pull.draft ? await remembered(pull) : null,
      ].filter((warning) => warning !== null)
      return warnings.length === 0 ? null : warnings.join(' ')
    },
  }
}
