/** GitHub’s own limits, in characters. */
const TITLE = 256
const TEXT = 65_536

const CUT = '\n\n… (cut: GitHub takes no more)'

/** As long as GitHub takes it: what an agent wrote is cut rather than refused. */
export const fitTitle = (title: string): string => (title.length <= TITLE ? title : `${title.slice(0, TITLE - 1)}…`)
export const fitText = (text: string, reserved = 0): string => (text.length + reserved <= TEXT ? text : `${text.slice(0, TEXT - reserved - CUT.length)}${CUT}`)
