import type { Actor, Sha } from '../../../../domain/ids.ts'
import type { AskedReviewer, Comment, LineComment, Review } from '../../forge.ts'
import { kindOfOwn } from '../own-comment.ts'
import { readMark, type ReviewMark } from '../../review-mark.ts'
import type { FullPull, RawComment, RawLineComment, RawWords, Threads } from './answers.ts'
import { accountOf, isSame, type Trust } from './trusted.ts'

/** What turns GitHub’s words into ours. */
export interface Readers {
  /** Login of the token’s own account, whose marks are believed. */
  readonly viewer: string
  readonly trust: Trust
  /**
   * Whether exomonad itself wrote that mark: signed, or known from before. `commit`: of the review;
   * null for what is none.
   */
  readonly isOurs: (id: string, mark: ReviewMark, commit: string | null) => boolean
  /** Name to show. */
  readonly nameOf: (actor: Actor) => string
}

/** A review whose commit GitHub has forgotten is of no head. */
const FORGOTTEN = '0'.repeat(40) as Sha

const STATES = {
  APPROVED: 'approved',
  CHANGES_REQUESTED: 'changes_requested',
  COMMENTED: 'commented',
} as const

/**
 * Reviews that were submitted and stand: drafts are nobody’s business, and dismissed ones were
 * taken back.
 */
export function toReviews(
  reviews: FullPull['reviews'],
  readers: Readers,
  threads: Threads | null = null,
): Review[] {
  return reviews.flatMap((raw) => {
    if (raw.state === 'PENDING' || raw.state === 'DISMISSED') return []
    const { trusted, body, mark, ...own } = wordsOf(raw, readers, raw.commit?.oid)
    const { author, authorName } = answerer(raw, readers) ?? own
    return [
      {
        id: idOf(raw),
        author,
        authorName,
        state: mark?.state ?? STATES[raw.state],
        body,
        commit: (raw.commit?.oid ?? FORGOTTEN) as Sha,
        submittedAt: raw.submittedAt === null ? 0 : Date.parse(raw.submittedAt),
        comments: trusted
          ? raw.comments.flatMap((comment) => toLineComment(comment, raw, author, readers, threads))
          : [],
        trusted,
      },
    ]
  })
}

/** Whose last verdict was dismissed: an earlier one of theirs doesn’t stand again for it. */
export function takenBack(reviews: FullPull['reviews']): ReadonlySet<Actor> {
  const dismissed = new Set<Actor>()
  for (const { author, state } of reviews) {
    const actor: Actor = `forge:${accountOf(author).login}`
    if (state === 'DISMISSED') dismissed.add(actor)
    else if (state === 'APPROVED' || state === 'CHANGES_REQUESTED') dismissed.delete(actor)
  }
  return dismissed
}

/** GitHub makes an empty review around an answer to a conversation: it is whose the answer is. */
function answerer(
  raw: FullPull['reviews'][number],
  readers: Readers,
): Pick<Review, 'author' | 'authorName'> | undefined {
  const [only, ...others] = raw.comments
  if (raw.body !== '' || only === undefined || others.length > 0 || only.replyTo === null)
    return undefined
  const { mark, author, authorName } = wordsOf(only, readers)
  return mark === null ? undefined : { author, authorName }
}

/** Somebody without write access may add to a thread of somebody who has it. */
function toLineComment(
  raw: RawLineComment,
  review: RawWords,
  reviewer: Actor,
  readers: Readers,
  threads: Threads | null,
): LineComment[] {
  const { author, trusted, body, mark } = wordsOf(raw, readers)
  if (!trusted) return []
  const bySame = mark === null && accountOf(raw.author).login === accountOf(review.author).login
  const thread = threads?.get(raw.replyTo === null ? idOf(raw) : String(raw.replyTo.fullDatabaseId))
  return [
    {
      id: idOf(raw),
      path: raw.path,
      ...linesOf(raw),
      body,
      author: bySame ? reviewer : author,
      ...(thread?.side === 'left' ? { side: thread.side } : {}),
      ...(thread === undefined ? {} : { thread: thread.id, resolved: thread.resolved }),
    },
  ]
}

/** An outdated comment is shown where it stood. */
function linesOf(raw: RawLineComment): Pick<LineComment, 'line' | 'startLine'> {
  const [line, start] =
    raw.line === null ? [raw.originalLine, raw.originalStartLine] : [raw.line, raw.startLine]
  const isRange = line !== null && start !== null && start < line
  return { line, startLine: isRange ? start : null }
}

/** Without what exomonad itself keeps there for people to read. */
export function toComments(comments: readonly RawComment[], readers: Readers): Comment[] {
  const isOwn = ({ author, body }: RawComment): boolean =>
    author !== null && isSame(accountOf(author).login, readers.viewer) && kindOfOwn(body) !== null
  return comments
    .filter((raw) => !isOwn(raw))
    .map((raw) => {
      const { author, authorName, trusted, body } = wordsOf(raw, readers)
      return { id: idOf(raw), author, authorName, body, at: Date.parse(raw.createdAt), trusted }
    })
}

/** Those who were asked for a review. */
export const toAsked = (requests: FullPull['requests']): AskedReviewer[] =>
  (requests ?? []).map(({ asCodeOwner, requestedReviewer: who }) => ({
    name:
      who === null
        ? 'a team that the token may not see'
        : 'combinedSlug' in who
          ? who.combinedSlug
          : accountOf(who).login,
    codeOwner: asCodeOwner,
  }))

/**
 * Whose they are and what they say: agents write from the token’s own account, with a mark. Words
 * that are not trusted are left out.
 */
function wordsOf(
  raw: RawWords,
  { viewer, trust, isOurs, nameOf }: Readers,
  commit: string | null = null,
): Pick<Comment, 'author' | 'authorName' | 'trusted' | 'body'> & {
  readonly mark: ReviewMark | null
} {
  const account = accountOf(raw.author)
  const marked = raw.author !== null && isSame(account.login, viewer) ? readMark(raw.body) : null
  if (marked !== null && isOurs(idOf(raw), marked.mark, commit)) {
    const { author } = marked.mark
    return {
      author,
      authorName: nameOf(author),
      trusted: true,
      body: marked.body,
      mark: marked.mark,
    }
  }
  const trusted = raw.author !== null && trust(account, raw.authorAssociation)
  return {
    author: `forge:${account.login}`,
    authorName: account.login,
    trusted,
    body: trusted ? raw.body : '',
    mark: null,
  }
}

const idOf = ({ fullDatabaseId }: RawWords): string => String(fullDatabaseId)
