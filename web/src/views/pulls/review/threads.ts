import type { Side } from '../../../../../src/domain/formats/line-range.ts'
import type { ToolResult } from '../../../../../src/tools/types.ts'

export type PullReview = ToolResult<'pr_show'>['reviews'][number]
type LineComment = PullReview['comments'][number]

/** A comment with what its review says of it. */
export interface Said extends LineComment {
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
  readonly side: Side
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
  for (const { stale, withheld, comments } of reviews) {
    for (const comment of comments) {
      const { path, line, start_line: from, side, thread: id } = comment
      const key = id ?? JSON.stringify([path, line, from ?? line, side])
      const said = { ...comment, stale, withheld }
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
      side: first.side,
      isResolved: comments.at(-1)?.conversation === 'resolved',
      isOutdated: !options.movesLines && comments.every(({ stale }) => stale),
      comments,
    }
  })
}
