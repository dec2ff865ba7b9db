import type { Side } from '../../../domain/formats/line-range.ts'
import type { Actor, Sha } from '../../../domain/ids.ts'
import type { Comment, LineComment, Review } from '../forge.ts'
import type { MarkSigner } from '../mark-key.ts'
import { readMark, type ReviewMark } from '../review-mark.ts'
import type { RawUser } from './pull.ts'

export interface RawReview {
  readonly id: number
  readonly user: RawUser | null
  readonly team?: { readonly name: string } | null
  readonly state: 'APPROVED' | 'REQUEST_CHANGES' | 'COMMENT' | 'PENDING' | 'REQUEST_REVIEW'
  readonly body: string
  readonly commit_id: string
  readonly stale: boolean
  /** Of somebody whose approval counts for the protection of the base. */
  readonly official: boolean
  readonly dismissed: boolean
  readonly comments_count: number
  readonly submitted_at: string
}

export interface RawLineComment {
  readonly id: number
  readonly body: string
  readonly user: RawUser | null
  /** Who resolved its conversation on Gitea’s page; the API can’t. */
  readonly resolver: RawUser | null
  readonly path: string
  /** Line of the new side; 0 where it stands on the old one, by `original_position`. */
  readonly position: number
  readonly original_position: number
}

export interface RawComment {
  readonly id: number
  readonly body: string
  readonly user: RawUser | null
  readonly created_at: string
}

/** All that was said about a pull request: line comments by the id of their review. */
export interface RawWords {
  readonly reviews: readonly RawReview[]
  readonly onLines: ReadonlyMap<number, readonly RawLineComment[]>
  readonly comments: readonly RawComment[]
}

/** What turns Gitea’s words into ours. */
export interface Readers {
  /** Of the pull request. */
  readonly number: number
  /** Login of the token’s own account, whose signed marks are believed. */
  readonly viewer: string
  /** Logins of those who may write, in lower case. */
  readonly writers: ReadonlySet<string>
  readonly signer: MarkSigner
  /** Name to show. */
  readonly nameOf: (actor: Actor) => string
}

const STATES = {
  APPROVED: 'approved',
  REQUEST_CHANGES: 'changes_requested',
  COMMENT: 'commented',
} as const

interface Read {
  readonly author: Actor
  readonly authorName: string
  readonly trusted: boolean
  readonly body: string
  readonly mark: ReviewMark | null
}

/**
 * Whose they are and what they say: agents write from the token’s own account, with a mark. Words
 * that are not trusted are left out.
 */
function wordsOf(
  { user, body }: { user: RawUser | null; body: string },
  { number, viewer, writers, signer, nameOf }: Readers,
  commit: string | null,
): Read {
  const login = user?.login ?? 'ghost'
  const own = user !== null && login.toLowerCase() === viewer.toLowerCase()
  const marked = own ? readMark(body) : null
  if (marked !== null && signer.isSigned(marked.mark, { number, commit })) {
    const { author } = marked.mark
    return {
      author,
      authorName: nameOf(author),
      trusted: true,
      body: marked.body,
      mark: marked.mark,
    }
  }
  const trusted = own || (user !== null && writers.has(login.toLowerCase()))
  return {
    author: `forge:${login}`,
    authorName: login,
    trusted,
    body: trusted ? body : '',
    mark: null,
  }
}

/** Comments on one line are one conversation, called after the first of them. */
const placeOf = ({ path, position, original_position: before }: RawLineComment): string =>
  `${position}:${before}:${path}`

/** A conversation of the line comments, in the order they were written. */
export interface Thread {
  /** Id of its first comment. */
  readonly id: string
  readonly path: string
  readonly line: number | null
  readonly side?: Side
  resolved: boolean
}

export function threadsOf({ onLines }: RawWords, readers: Readers): Map<string, Thread> {
  const threads = new Map<string, Thread>()
  for (const comment of [...onLines.values()].flat().toSorted((a, b) => a.id - b.id)) {
    const place = placeOf(comment)
    const thread = threads.get(place) ?? {
      id: String(comment.id),
      path: comment.path,
      ...lineOf(comment),
      resolved: false,
    }
    if (comment.resolver !== null || wordsOf(comment, readers, null).mark?.resolves === true)
      thread.resolved = true
    threads.set(place, thread)
  }
  return threads
}

function lineOf({
  position,
  original_position: before,
}: RawLineComment): Pick<Thread, 'line' | 'side'> {
  if (position !== 0) return { line: position }
  return before === 0 ? { line: null } : { line: before, side: 'left' }
}

/**
 * Reviews that were submitted and stand; what is only asked for, a draft, or was dismissed is none.
 */
export function toReviews(words: RawWords, readers: Readers): Review[] {
  const threads = threadsOf(words, readers)
  return words.reviews.flatMap((raw): Review[] => {
    if (raw.dismissed || raw.state === 'PENDING' || raw.state === 'REQUEST_REVIEW') return []
    const lines = words.onLines.get(raw.id) ?? []
    const said = wordsOf(raw, readers, raw.commit_id)
    const [only] = lines
    // Gitea makes an empty review around a comment on a line: it is of whoever wrote that.
    const answer =
      raw.body === '' && lines.length === 1 && only !== undefined
        ? wordsOf(only, readers, null)
        : null
    const { author, authorName } = answer?.mark != null ? answer : said
    const comments = said.trusted
      ? lines.flatMap((comment) =>
          toLineComment(comment, { by: raw.user, author }, readers, threads),
        )
      : []
    // It did nothing but resolve a conversation.
    if (comments.length === 0 && answer?.mark?.resolves === true) return []
    return [
      {
        id: String(raw.id),
        author,
        authorName,
        state: said.mark?.state ?? STATES[raw.state],
        body: said.body,
        commit: raw.commit_id as Sha,
        submittedAt: Date.parse(raw.submitted_at),
        comments,
        trusted: said.trusted,
      },
    ]
  })
}

function toLineComment(
  raw: RawLineComment,
  review: { readonly by: RawUser | null; readonly author: Actor },
  readers: Readers,
  threads: ReadonlyMap<string, Thread>,
): LineComment[] {
  const { author, trusted, body, mark } = wordsOf(raw, readers, null)
  if (!trusted || (mark?.resolves === true && body === '')) return []
  const thread = threads.get(placeOf(raw))
  const bySame = mark === null && raw.user?.login === review.by?.login
  return [
    {
      id: String(raw.id),
      path: raw.path,
      ...lineOf(raw),
      startLine: null,
      body,
      author: bySame ? review.author : author,
      ...(thread === undefined ? {} : { thread: thread.id, resolved: thread.resolved }),
    },
  ]
}

export function toComments({ comments }: RawWords, readers: Readers): Comment[] {
  return comments.map((raw) => {
    const { author, authorName, trusted, body } = wordsOf(raw, readers, null)
    return { id: String(raw.id), author, authorName, body, at: Date.parse(raw.created_at), trusted }
  })
}

/** Whose last verdict was dismissed: an earlier one of theirs doesn’t stand again for it. */
export function takenBack(reviews: readonly RawReview[]): ReadonlySet<Actor> {
  const dismissed = new Set<Actor>()
  for (const { user, state, dismissed: isDismissed } of reviews) {
    const actor: Actor = `forge:${user?.login ?? 'ghost'}`
    if (isDismissed) dismissed.add(actor)
    else if (state === 'APPROVED' || state === 'REQUEST_CHANGES') dismissed.delete(actor)
  }
  return dismissed
}
