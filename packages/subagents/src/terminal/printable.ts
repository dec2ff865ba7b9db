/**
 * Text of others (branch names, titles, comments, screens) made safe to print: escape sequences,
 * control and bidirectional override characters are removed, so that it can neither drive the
 * terminal nor pose as other text. Line feeds and tabs stay.
 */
export function printable(text: string): string {
  return text.replace(ESCAPES, '').replace(/\r\n?/g, '\n').replace(CONTROLS, '')
}

/** The same on one line: every run of white space becomes one space. */
export const printableLine = (text: string): string => printable(text).replace(/\s+/g, ' ').trim()

// CSI, OSC/DCS/APC/PM/SOS strings up to their end, and two-character escapes.
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const ESCAPES =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)?|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]/g
// oxlint-disable-next-line no-control-regex -- control characters are what this is about
const CONTROLS = /[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g
