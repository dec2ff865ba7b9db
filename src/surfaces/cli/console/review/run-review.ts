import { randomUUID } from 'node:crypto'
import { asExomonadError } from '../../../../domain/errors.ts'
import { mergedLines } from '../../pulls/merged-lines.ts'
import { sentComment, type Verdict } from '../../../text/diff/draft-comment.ts'
import { createPalette } from '../../../text/palette.ts'
import type { Doing, Notify } from '../doing.ts'
import { nodeOf } from '../state.ts'

/** What is done with pull requests. `agent`: where what came of it is shown. */
export interface ReviewActions {
  /** Opens the diff, of the agent’s own where no number is given, or reads it again. */
  open(agent: string, number: number | undefined): Promise<void>
  /** Asks whether to merge it, as it was shown last. */
  askMerge(agent: string, number: number | undefined): void
  merge(number: number, head: string): Promise<boolean>
  /** Sends a review with the comments that were written; false where that failed. */
  send(review: SentReview): Promise<boolean>
}

export interface SentReview {
  readonly number: number
  readonly verdict: Verdict
  readonly body: string
  /** What was looked at; empty where nothing was. */
  readonly head: string
}

const PLAIN = createPalette(false)

const DONE: Readonly<Record<Verdict, string>> = {
  approve: 'Approved',
  request_changes: 'Requested changes of',
  comment: 'Commented on',
}

export function createReviewActions(
  { store, feed, clientFor }: Doing,
  notify: Notify,
): ReviewActions {
  const { get, dispatch } = store
  const pullOf = (agent: string, number: number | undefined): number | undefined => {
    const wanted = number ?? nodeOf(get(), agent)?.pr?.number
    if (wanted === undefined) notify(agent, 'It has no pull request.', 'attention')
    return wanted
  }
  /** Says what went wrong; true where nothing did. */
  const attempt = async (work: () => Promise<void>): Promise<boolean> => {
    const { viewed } = get()
    try {
      await work()
      return true
    } catch (error) {
      notify(viewed, `✗ ${asExomonadError(error).message}`, 'bad')
      return false
    }
  }

  /** From the review that is open, where nothing else was begun meanwhile. */
  const goBack = (number: number): void => {
    const { place, reviewed, ask, overlay, overview, back } = get()
    const isFree = ask === null && overlay === null && overview.line === null
    if (place === 'review' && reviewed === number && isFree)
      dispatch({ type: 'place', place: back })
  }
  let begun = 0
  /** By number: the latest read that was answered. Reads overlap; an older one undoes nothing. */
  const answered = new Map<number, number>()
  const sending = new Set<number>()
  /** By number: the same once more goes under the same key, since some of it may have been done. */
  const failed = new Map<number, { readonly of: string; readonly key: string }>()

  return {
    open: async (agent, wanted) => {
      const number = pullOf(agent, wanted)
      if (number === undefined) return
      dispatch({ type: 'review-open', number })
      const mine = ++begun
      const isOld = (): boolean => mine < (answered.get(number) ?? 0)
      try {
        const { head_sha: head, diff } = await clientFor().call('pr_diff', { pr_number: number })
        if (isOld()) return
        answered.set(number, mine)
        const before = get().reviews[number]
        dispatch({ type: 'review-read', number, head, diff })
        if (before === undefined || before.head === '' || before.head === head) return
        const look = before.comments.length > 0 ? ': look at what you wrote before you send it' : ''
        notify(agent, `#${number} has newer commits${look}.`, 'attention')
      } catch (error) {
        if (isOld()) return
        dispatch({ type: 'review-failed', number, why: asExomonadError(error).message })
      }
    },
    askMerge: (agent, wanted) => {
      const number = pullOf(agent, wanted)
      if (number === undefined) return
      const item = get().inbox?.items.find(({ id }) => id === `pull:${number}`)
      const title = item?.text.split('\n')[0] ?? ''
      const { place, reviewed, reviews, heads } = get()
      const isOpen = place === 'review' && reviewed === number
      const seen = isOpen ? (reviews[number]?.head ?? '') : ''
      const head = seen === '' ? (heads[number] ?? '') : seen
      dispatch({ type: 'ask', ask: { kind: 'merge', number, title, head } })
    },
    merge: (number, head) =>
      attempt(async () => {
        const { viewed } = get()
        // What was looked at is merged, and nothing newer.
        const merged = await clientFor().call('merge_pr', {
          pr_number: number,
          ...(head === '' ? {} : { head_sha: head }),
        })
        notify(viewed, mergedLines(merged, number, PLAIN).join(' '), 'good')
        goBack(number)
        await feed.refresh()
        feed.wake()
      }),
    send: async ({ number, verdict, body, head }) => {
      const { viewed, reviews } = get()
      if (sending.has(number)) {
        notify(viewed, `A review of #${number} is on its way already.`, 'attention')
        return false
      }
      sending.add(number)
      const { comments = [] } = reviews[number] ?? {}
      const done = await attempt(async () => {
        const review = {
          pr_number: number,
          verdict,
          body,
          comments: comments.map(sentComment),
          ...(head === '' ? {} : { head_sha: head }),
        }
        const of = JSON.stringify(review)
        const before = failed.get(number)
        const key = before?.of === of ? before.key : randomUUID()
        failed.set(number, { of, key })
        await clientFor().call('pr_review', review, { key })
        failed.delete(number)
        dispatch({ type: 'review-sent', number, verdict, head, comments })
        notify(viewed, `✓ ${DONE[verdict]} #${number}`, 'good')
        goBack(number)
        feed.wake()
      })
      sending.delete(number)
      return done
    },
  }
}
