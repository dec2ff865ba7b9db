import type { InputLine, Observation } from '../agent-cli.ts'

/**
 * By the window’s title, which `tui.terminal_title` makes "⠹ Working | folder", "[ ! ] Action
 * Required | folder" or "Ready | folder". Null where it is not of that form: before Codex is up, or
 * in one of its first dialogs.
 */
export function readTitle(title: string | null): Observation | null {
  const status = title?.split(' | ')[0]?.trim() ?? ''
  if (/^\[ [!.] \] Action Required$/.test(status))
    return { state: 'waiting', reason: 'asks in its terminal', source: 'screen' }
  if (status === 'Ready') return { state: 'idle', reason: null, source: 'screen' }
  if (/^(\S )?(Working|Thinking|Waiting|Starting|Undoing)$/.test(status))
    return { state: 'running', reason: null, source: 'screen' }
  return null
}

interface Attributes {
  readonly bold: boolean
  readonly dim: boolean
  readonly inverse: boolean
}

const PLAIN: Attributes = { bold: false, dim: false, inverse: false }

function apply(now: Attributes, parameters: string): Attributes {
  const codes = parameters === '' ? [0] : parameters.split(';').map(Number)
  let next = now
  for (let at = 0; at < codes.length; at++) {
    const code = codes[at]
    if (code === 0) next = PLAIN
    else if (code === 1) next = { ...next, bold: true }
    else if (code === 2) next = { ...next, dim: true }
    else if (code === 7) next = { ...next, inverse: true }
    else if (code === 22) next = { ...next, bold: false, dim: false }
    else if (code === 27) next = { ...next, inverse: false }
    // An indexed or a true colour: its numbers are no attributes.
    else if (code === 38 || code === 48) at += codes[at + 1] === 5 ? 2 : 4
  }
  return next
}

/** The characters of each row with their attributes; attributes go on from row to row. */
function cells(screen: string): { character: string; attributes: Attributes }[][] {
  let attributes = PLAIN
  return screen.split('\n').map((row) => {
    const found: { character: string; attributes: Attributes }[] = []
    for (const [, parameters, character] of row.matchAll(/\u001b\[([\d;]*)m|([^\u001b])/gu)) {
      if (parameters !== undefined) attributes = apply(attributes, parameters)
      else if (character !== undefined) found.push({ character, attributes })
    }
    return found
  })
}

/**
 * The box begins with a bold ›, or a bold ! where a shell command is being written. Before a prompt
 * of the past the › is dim, before the chosen line of a menu inverse. An empty box shows a dim
 * hint.
 */
export function readInputLine(screen: string): InputLine {
  const box = cells(screen).findLast(([first]) => {
    if (first === undefined || (first.character !== '›' && first.character !== '!')) return false
    return first.attributes.bold && !first.attributes.dim && !first.attributes.inverse
  })
  if (box === undefined) return 'unknown'
  if (box[0]?.character === '!') return 'text'
  const written = box.slice(1).find(({ character }) => character.trim() !== '')
  return written?.attributes.dim === true ? 'empty' : 'text'
}
