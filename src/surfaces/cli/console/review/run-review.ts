import { asExomonadError } from '../../../../domain/errors.ts'
import { mergedLines } from '../../pulls/merged-lines.ts'
import { createPalette } from '../../../text/palette.ts'
import type { Doing, Notify } from '../doing.ts'
import { nodeOf } from '../state.ts'
import { linesWords, type DraftComment, type Verdict } from './review.ts'

/** What is done with pull requests. `agent`: where what came of it is shown. */
export interface ReviewActions {
  /** Opens the diff, of the agent’s own where no number is given, or reads it again. */
  open(agent: string, number: number | undefined): Promise<void>
  /** Asks whether to merge it. */
  askMerge(agent: string, number: number | undefined): void
  merge(number: number): Promise<boolean>
  /** Sends a review with the comments that were written; false where that failed. */
  send(number: number, verdict: Verdict, body: string): Promise<boolean>
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

  return {
    open: async (agent, wanted) => {
      const number = pullOf(agent, wanted)
      if (number === undefined) return
      dispatch({ type: 'review-open', number })
      try {
        const { head_sha: head, diff } = await clientFor().call('pr_diff', { pr_number: number })
        const before = get().reviews[number]
        dispatch({ type: 'review-read', number, head, diff })
        if (
          before !== undefined &&
          before.head !== '' &&
          before.head !== head &&
          before.comments.length > 0
        )
          notify(
            agent,
            `#${number} has newer commits: look at what you wrote before you send it.`,
            'attention',
          )
      } catch (error) {
        dispatch({ type: 'review-failed', number, why: asExomonadError(error).message })
      }
    },
    askMerge: (agent, wanted) => {
      const number = pullOf(agent, wanted)
      if (number === undefined) return
      const item = get().inbox?.items.find(({ id }) => id === `pull:${number}`)
      const title = item?.text.split('\n')[0] ?? ''
      dispatch({ type: 'ask', ask: { kind: 'merge', number, title } })
    },
    merge: (number) =>
      attempt(async () => {
        const { viewed, reviews } = get()
        // What was looked at is merged, and nothing newer.
        const head = reviews[number]?.head ?? ''
        const merged = await clientFor().call('merge_pr', {
          pr_number: number,
          ...(head === '' ? {} : { head_sha: head }),
        })
        notify(viewed, mergedLines(merged, number, PLAIN).join(' '), 'good')
        if (get().place === 'review') dispatch({ type: 'place', place: get().back })
        await feed.refresh()
        feed.wake()
      }),
    send: (number, verdict, body) =>
      attempt(async () => {
        const { viewed, reviews } = get()
        const { head = '', comments = [] } = reviews[number] ?? {}
        await clientFor().call('pr_review', {
          pr_number: number,
          verdict,
          body,
          comments: comments.map(sentComment),
          ...(head === '' ? {} : { head_sha: head }),
        })
        dispatch({ type: 'review-sent', number })
        notify(viewed, `✓ ${DONE[verdict]} #${number}`, 'good')
        dispatch({ type: 'place', place: get().back })
        feed.wake()
      }),
  }
}

/** A forge’s comment stands on one line, the last; which are meant is said in words. */
function sentComment({ path, line, from, body }: DraftComment): {
  path: string
  line: number
  body: string
} {
  const words = linesWords({ line, from })
  return {
    path,
    line,
    body: from === line ? body : `${words.charAt(0).toUpperCase()}${words.slice(1)}: ${body}`,
  }
}
