/** GitHub’s own limits, in characters. */
const TITLE = 256
const TEXT = 65_536

const CUT = '\n\n… (cut: GitHub takes no more)'

/** The beginning, without half a character at its end: GitHub takes no text with one. */
const start = (text: string, length: number): string =>
  text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '')

/** As long as GitHub takes it: what an agent wrote is cut rather than refused. */
export const fitTitle = (title: string): string =>
  title.length <= TITLE ? title : `${start(title, TITLE - 1)}…`
export const fitText = (text: string, reserved = 0): string =>
  text.length + reserved <= TEXT ? text : `${start(text, TEXT - reserved - CUT.length)}${CUT}`

/** Room in a text for who says it and for the mark. */
export const MARK = 500
