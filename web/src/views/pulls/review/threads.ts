import type { ToolResult } from '../../../../../src/tools/types.ts'

export type PullReview = ToolResult<'pr_show'>['reviews'][number]
type LineComment = PullReview['comments'][number]

/** A comment with who wrote it, in which review. */
export interface Said extends LineComment {
  readonly author: string
  /** Of another head than the present one. */
  readonly stale: boolean
  readonly withheld: boolean
}

/** What was said of the same lines, oldest first. */
export interface Thread {
  readonly key: string
  readonly path: string
  readonly line: number | null
  readonly from: number | null
  readonly isResolved: boolean
  /** All of it is about an older head, and its line is of that. */
  readonly isOutdated: boolean
  readonly comments: readonly [Said, ...Said[]]
}

/** The conversations on lines of a pull request, as they stand. */
export function threadsOf(
  reviews: readonly PullReview[],
  options: {
    /** The forge says where a comment stands now (GitHub does); else where it stood. */
    readonly movesLines: boolean
  },
): Thread[] {
  const threads = new Map<string, [Said, ...Said[]]>()
  for (const { author, stale, withheld, comments } of reviews) {
    for (const comment of comments) {
      const { path, line, start_line: from, conversation } = comment
      const key = JSON.stringify([path, line, from ?? line, conversation])
      const said = { ...comment, author, stale, withheld }
      const thread = threads.get(key)
      if (thread === undefined) threads.set(key, [said])
      else thread.push(said)
    }
  }
  return [...threads].map(([key, comments]) => {
    const [first] = comments
    return {
      key,
      path: first.path,
      line: first.line,
      from: first.start_line,
      isResolved: first.conversation === 'resolved',
      isOutdated: !options.movesLines && comments.every(({ stale }) => stale),
      comments,
    }
  })
}
