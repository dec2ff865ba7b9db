import { UsageError } from './exit-codes.ts'

export interface LineCommentInput {
  readonly path: string
  readonly line?: number
  readonly body: string
}

/** A comment as `--at` takes it: `path:line text`, or `path: text` for a whole file. UsageError for anything else. */
export function parseLineComment(text: string): LineCommentInput {
  const onLine = /^(.+?):(\d+)(?:[:=]\s*|\s+)(\S[\s\S]*)$/.exec(text)
  if (onLine !== null && Number(onLine[2]) > 0) return { path: onLine[1] ?? '', line: Number(onLine[2]), body: (onLine[3] ?? '').trim() }
  const onFile = /^([^\s:][^:]*):\s+(\S[\s\S]*)$/.exec(text)
  if (onFile !== null) return { path: onFile[1] ?? '', body: (onFile[2] ?? '').trim() }
  throw new UsageError(`--at ${JSON.stringify(text)}: expected "path:line text", as in --at "src/a.ts:12 this can be null".`)
}
