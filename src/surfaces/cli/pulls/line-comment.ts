import { UsageError } from '../exit-codes.ts'

export interface LineCommentInput {
  readonly path: string
  readonly line?: number
  /** First line of a range that ends at `line`. */
  readonly start_line?: number
  /** `left`: of the old version. */
  readonly side?: 'left'
  readonly body: string
}

/**
 * A comment as `--at` takes it: `path:line text`, `path:first-last text` for a range, `path:-line
 * text` for a line of the old version, or `path: text` for a whole file. UsageError for anything else.
 */
export function parseLineComment(text: string): LineCommentInput {
  const [, path = '', minus, first = '', last, words = ''] =
    /^(.+?):(-)?(\d+)(?:-(\d+))?(?:[:=]\s*|\s+)(\S[\s\S]*)$/.exec(text) ?? []
  const start = Number(first)
  const line = Number(last ?? first)
  if (start > line)
    throw new UsageError(
      `--at ${JSON.stringify(text)}: the range begins at line ${start} and ends before that; write "${path}:${line}-${start}".`,
    )
  if (start > 0)
    return {
      path,
      ...(start === line ? {} : { start_line: start }),
      line,
      ...(minus === undefined ? {} : { side: 'left' }),
      body: words.trim(),
    }
  const onFile = /^([^\s:][^:]*):\s+(\S[\s\S]*)$/.exec(text)
  if (onFile !== null) return { path: onFile[1] ?? '', body: (onFile[2] ?? '').trim() }
  throw new UsageError(
    `--at ${JSON.stringify(text)}: expected "path:line text" or "path:first-last text", as in --at "src/a.ts:12 this can be null".`,
  )
}

export interface ReplyInput {
  readonly comment_id: string
  readonly body: string
  readonly resolve: boolean
}

/**
 * Parses answers as `--reply "ID text"` takes them, and the ids of `--resolve`; an id in both is
 * answered and resolved. UsageError for anything else.
 */
export function parseReplies(
  answers: readonly string[],
  resolved: readonly string[],
): ReplyInput[] {
  const replies = answers.map((text) => {
    const [, id, body] = /^\s*(\S+)\s+(\S[\s\S]*)$/.exec(text) ?? []
    if (id === undefined || body === undefined)
      throw new UsageError(
        `--reply ${JSON.stringify(text)}: expected "ID text", with the id of a line comment from \`exomonad pr show\`.`,
      )
    return { comment_id: id, body: body.trim(), resolve: resolved.includes(id) }
  })
  const answered = new Set(replies.map(({ comment_id: id }) => id))
  const alone = [...new Set(resolved)]
    .filter((id) => !answered.has(id))
    .map((id) => ({ comment_id: id, body: '', resolve: true }))
  return [...replies, ...alone]
}
