import type { Actor } from '../../../ids.ts'
import type { Review } from '../forge.ts'

/** Whose verdict a comment is: all agents write from one account, which can neither approve nor refuse its own pull requests. */
export interface ReviewMark {
  readonly author: Actor
  readonly state: Review['state']
}

const MARK = /\n*<!-- exomonad:review (\{[^\n]*?\}) -->\s*$/

/** The words with the mark after them, which GitHub doesn’t show. */
export const markReview = (body: string, { author, state }: ReviewMark): string =>
  `${withoutMarks(body)}\n\n<!-- exomonad:review ${JSON.stringify({ author, state })} -->`.trimStart()

/** The mark at the end of a text, and the words before it; null where there is none. To be believed only from the token’s own account. */
export function readMark(text: string): { mark: ReviewMark; body: string } | null {
  const found = MARK.exec(text)
  if (found === null) return null
  try {
    const { author, state } = JSON.parse(found[1] ?? '') as Partial<ReviewMark>
    if (typeof author !== 'string' || (state !== 'approved' && state !== 'changes_requested' && state !== 'commented')) return null
    return { mark: { author, state }, body: text.slice(0, found.index) }
  } catch {
    return null
  }
}

/** What somebody writes can’t hold a mark of its own. */
const withoutMarks = (body: string): string => body.replaceAll(/<!--\s*exomonad:/g, '<!-- ')
