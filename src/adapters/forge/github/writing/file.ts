import { ExomonadError } from '../../../../domain/errors.ts'
import type { BranchName } from '../../../../domain/ids.ts'
import type { FileResult, Forge } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import { fitText, fitTitle } from './fit.ts'
import type { Pause } from '../../network/pause.ts'
import { lookAt, PULL, type RawPull } from './pull.ts'
import { isLost, refusalIn, type Refusal } from './refusal.ts'

/** How often a pull request that GitHub says exists is looked for. */
const TRIES = 4

/** What is known of a pull request once it is filed, so that nobody has to ask for it again. */
export interface LeftPull {
  readonly pull: RawPull
  readonly created: boolean
  /** Numbers of the open ones with the same head. */
  readonly ofHead: readonly number[]
}

type Wanted = Pick<Parameters<Forge['file']>[0], 'head' | 'base' | 'title' | 'body' | 'draft'>

/**
 * Files a pull request, or brings the open one of that head up to date: GitHub would take a second
 * one with another base. What may have been created is looked for before anything is created again.
 */
export function createFile({
  repository,
  client,
  find,
  pause,
  left,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'rest' | 'graphql'>
  find: Forge['find']
  pause: Pause
  /** Called with each that was filed. */
  left: (filed: LeftPull) => void
}): (wanted: Wanted) => Promise<FileResult> {
  const openFor = async (
    head: BranchName,
    base: BranchName,
  ): Promise<Omit<LeftPull, 'created'> | undefined> => {
    const numbers = await find({ state: 'open', heads: [head] })
    const pulls = await Promise.all(numbers.map((number) => lookAt(client, number)))
    const open = pulls.filter(({ state }) => state === 'open')
    const pull = open.findLast((one) => one.base.ref === base) ?? open.at(-1)
    return pull && { pull, ofHead: open.map(({ number }) => number) }
  }
  const filed = (now: LeftPull): FileResult => {
    left(now)
    const { number, html_url: url } = now.pull
    return { kind: 'filed', number, url, created: now.created }
  }

  const refuse = ({ words, isAbout }: Refusal, { head, base }: Wanted): ExomonadError => {
    const missing = isAbout('head') ? head : isAbout('base') ? base : undefined
    return missing === undefined
      ? new ExomonadError(
          'INVALID_ARG',
          `GitHub (${repository.host}) refuses the pull request from ${head} into ${base}: ${words}`,
        )
      : new ExomonadError(
          'GIT_FAILED',
          `${repository.owner}/${repository.name} on ${repository.host} has no branch ${missing}. Push it first.`,
          {
            branch: missing,
          },
        )
  }

  const setDraft = async (pull: RawPull, draft: boolean): Promise<void> => {
    if (pull.draft === draft) return
    const mutation = draft ? 'convertPullRequestToDraft' : 'markPullRequestReadyForReview'
    const { errors } = await client.graphql(
      `mutation SetDraft($id: ID!) { ${mutation}(input: { pullRequestId: $id }) { pullRequest { isDraft } } }`,
      {
        id: pull.node_id,
      },
    )
    // Some plans have no drafts: an open pull request is as near as it gets.
    if (errors.length === 0 || draft) return
    throw new ExomonadError(
      'INVALID_ARG',
      `GitHub (${repository.host}) does not mark #${pull.number} as ready for review: ${errors[0]?.message}`,
    )
  }

  const update = async (
    { pull, ofHead }: Omit<LeftPull, 'created'>,
    { title, body, base, draft, head }: Wanted,
  ): Promise<FileResult> => {
    const rebased = pull.base.ref !== base
    if (rebased || pull.title !== title || (pull.body ?? '') !== body) {
      const change = { pull_number: pull.number, title, body, ...(rebased ? { base } : {}) }
      const answer = await client.rest(`PATCH ${PULL}`, change, { accept: [422], retry: true })
      if (answer.status === 422) {
        const refusal = refusalIn(answer)
        if (/no new commits between/i.test(refusal.words)) return { kind: 'nothing_to_merge' }
        throw refuse(refusal, { title, body, base, draft, head })
      }
    }
    await setDraft(pull, draft)
    return filed({ pull: { ...pull, draft }, ofHead, created: false })
  }

  const create = async (wanted: Wanted): Promise<FileResult | 'exists'> => {
    const answer = await client.rest<RawPull>(
      'POST /repos/{owner}/{repo}/pulls',
      { ...wanted },
      { accept: [422] },
    )
    if (answer.status !== 422)
      return filed({ pull: answer.data, ofHead: [answer.data.number], created: true })
    const refusal = refusalIn(answer)
    if (/already exists/i.test(refusal.words)) return 'exists'
    if (/no commits between/i.test(refusal.words)) return { kind: 'nothing_to_merge' }
    if (wanted.draft && /draft/i.test(refusal.words)) return create({ ...wanted, draft: false })
    throw refuse(refusal, wanted)
  }

  return async ({ head, base, title, body, draft }) => {
    const wanted = { head, base, title: fitTitle(title), body: fitText(body), draft }
    const open = await openFor(head, base)
    if (open !== undefined) return update(open, wanted)
    let result: FileResult | 'exists'
    try {
      result = await create(wanted)
    } catch (error) {
      if (!isLost(error)) throw error
      const made = await openFor(head, base).catch(() => undefined)
      if (made === undefined) throw error
      return filed({ ...made, created: true })
    }
    // GitHub’s lists may be a moment behind.
    for (let tries = 0; result === 'exists' && tries < TRIES; tries++) {
      if (tries > 0) await pause(tries - 1)
      const existing = await openFor(head, base)
      if (existing !== undefined) result = await update(existing, wanted)
    }
    if (result !== 'exists') return result
    throw new ExomonadError(
      'FORGE_UNAVAILABLE',
      `GitHub (${repository.host}) says that a pull request from ${head} exists, and does not show it. Try again.`,
      {
        head,
      },
    )
  }
}
