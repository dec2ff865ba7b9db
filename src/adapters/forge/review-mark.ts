import type { Actor } from '../../domain/ids.ts'
import type { Review } from './forge.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

/**
 * Whose verdict a comment is: all agents write from one account, which can neither approve nor
 * refuse its own pull requests.
 */
export interface ReviewMark {
  readonly author: Actor
  readonly state: Review['state']
  /** It resolves the conversation that it is in, where the forge’s API can’t. */
  readonly resolves?: true
  /** Of the signer (mark-key.ts); none in marks of before there was one. */
  readonly sum?: string
}

const VERDICTS = {
  approved: 'approves',
  changes_requested: 'requests changes',
  commented: 'comments',
} as const
const RESOLVES = 'resolves this'
const MARK = /\n*<!-- exomonad:review (\{[^\n]*?\}) -->\s*$/
const THROUGH = ' through exomonad'
/** Those of before say not through what. */
const HEADING =
  /^\*\*[^*\n]+\*\* (?:approves|requests changes|comments|resolves this)(?: through exomonad)?[.:](?:\n+|$)/

/**
 * The words below a line that says whose they are, and that they came through exomonad (the forge
 * shows the account’s name), and the mark after them, which it doesn’t show.
 */
export function markReview(
  words: string,
  { author, state, resolves, sum }: ReviewMark,
  authorName: string,
): string {
  const body = withoutMarks(words).trim()
  const heading = `**${authorName.replaceAll(/[*\n]+/g, ' ').trim() || 'exomonad'}** ${resolves === true ? RESOLVES : VERDICTS[state]}${THROUGH}${body === '' ? '.' : ':'}`
  return [
    heading,
    body,
    `<!-- exomonad:review ${JSON.stringify({ author, state, resolves, sum })} -->`,
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

/**
 * The mark at the end of a text, and the words alone; null where there is none. To be believed only
 * from the token’s own account, and signed.
 */
export function readMark(text: string): { mark: ReviewMark; body: string } | null {
  // A forge may give back what was sent with other line ends.
  const plain = text.replaceAll('\r\n', '\n')
  const found = MARK.exec(plain)
  if (found === null) return null
  try {
    const { author, state, resolves, sum } = parseJson(found[1] ?? '') as Partial<ReviewMark>
    if (
      typeof author !== 'string' ||
      (state !== 'approved' && state !== 'changes_requested' && state !== 'commented')
    )
      return null
    return {
      mark: {
        author,
        state,
        ...(resolves === true ? { resolves } : {}),
        ...(typeof sum === 'string' ? { sum } : {}),
      },
      body: plain.slice(0, found.index).replace(HEADING, '').trim(),
    }
  } catch {
    return null
  }
}

/** What somebody writes can’t hold a mark of its own. */
const withoutMarks = (body: string): string => body.replaceAll(/<!--\s*exomonad:/g, '<!-- ')
