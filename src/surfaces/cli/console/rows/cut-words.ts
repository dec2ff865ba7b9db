import { cut, displayWidth } from '../../../text/width.ts'

/** What may stand behind a word’s part: a name is cut where it has joints. */
const JOINTS = /(?<=[\s\-_./:])/

/**
 * The text if it fits, else its beginning and `…`, in at most `width` columns, cut between words. A
 * word that has no room at all is cut as it must be. Without colour codes.
 */
export function cutWords(text: string, width: number): string {
  if (displayWidth(text) <= width) return text
  let taken = ''
  for (const part of text.split(JOINTS)) {
    if (displayWidth((taken + part).trimEnd()) > width - 1) break
    taken += part
  }
  return taken.trim() === '' ? cut(text, width) : `${taken.trimEnd()}…`
}
