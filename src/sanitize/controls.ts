/**
 * Characters that a terminal obeys or that hide text: escape sequences, control characters,
 * invisible and reordering marks. Pure. No text that is stored, sent or shown keeps them: a comment
 * must not end a bracketed paste and type, nor pose as other text.
 */

/**
 * Introducers with their terminator; unterminated ones lose the introducer only, so that nothing
 * swallows the rest of a text.
 */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const STRINGS =
  /(?:\u001b[\]PX^_]|[\u009d\u0090\u0098\u009e\u009f])[^\u001b\u0007\u009c]{0,4096}(?:\u0007|\u009c|\u001b\\)/g
// oxlint-disable-next-line no-control-regex -- the same
const SEQUENCES = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-Z\\-~]/g
// oxlint-disable-next-line no-control-regex -- C0 without tab and line feed, DEL, C1
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g
/**
 * Marks that reorder, hide or break text: bidi controls, zero-width space, word joiner, BOM, soft
 * hyphen, fillers, tag characters.
 */
const INVISIBLE =
  /\u034f|[\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu
/**
 * Any character that one of the above, or an end of line of another system, could begin with, and
 * half of a surrogate pair.
 */
// oxlint-disable-next-line no-control-regex -- the same
const SUSPECT =
  /\u034f|[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ud800-\udfff\ufeff\ufff9-\ufffb]/

/** Only what is read; line ends are `\n`, tabs stay. Idempotent. */
export function removeControls(text: string): string {
  if (!SUSPECT.test(text)) return text
  return text
    .toWellFormed()
    .replace(STRINGS, '')
    .replace(SEQUENCES, '')
    .replace(/\r\n?|[\u0085\u2028\u2029\u000b\u000c]/g, '\n')
    .replace(CONTROLS, '')
    .replace(INVISIBLE, '')
}

/** The same for a terminal, which would take a tab as a key: two spaces. Idempotent. */
export const stripControls = (text: string): string => removeControls(text).replaceAll('\t', '  ')

/**
 * For code under review, where they must be seen instead: each as `<U+202E>`. Tabs, line ends and a
 * `\r` before one stay.
 */
export const showControls = (text: string): string =>
  text
    .toWellFormed()
    .replace(/\r(?!\n)/g, named)
    // oxlint-disable-next-line no-control-regex -- the same
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u2028\u2029]/g, named)
    .replace(INVISIBLE, named)

const named = (mark: string): string =>
  `<U+${(mark.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}>`
