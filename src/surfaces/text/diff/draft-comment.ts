import type { ToolInput } from '../../../tools/types.ts'

/** A comment of a review that is not sent yet. */
export interface DraftComment {
  readonly path: string
  /** The last line that it is about, in the new version, and the first. */
  readonly line: number
  readonly from: number
  readonly body: string
}

export type Verdict = NonNullable<ToolInput<'pr_review'>['verdict']>

/** As `pr_review` takes it. */
export const sentComment = ({ path, line, from, body }: DraftComment) => ({
  path,
  ...(from === line ? {} : { start_line: from }),
  line,
  body,
})
