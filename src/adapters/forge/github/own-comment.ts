import type { OwnComment } from '../issues.ts'

/** GitHub does not show it. To be believed only from the token’s own account. */
const MARK = /<!-- exomonad:comment (\w+) -->\s*$/

/**
 * The words, with a mark by which the comment is found again and distinguished from what people
 * write from the same account.
 */
export const markOwn = (words: string, kind: OwnComment): string =>
  `${words.replaceAll(/<!--\s*exomonad:/g, '<!-- ').trimEnd()}\n\n<!-- exomonad:comment ${kind} -->`

/** Which of exomonad’s own comments that is; null for what somebody wrote. */
export const kindOfOwn = (body: string): string | null => MARK.exec(body)?.[1] ?? null
