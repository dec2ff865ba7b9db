import { ExomonadError } from '../../../errors.ts'
import type { PaneId } from '../../../ids.ts'
import type { TypeResult } from '../holder.ts'
import type { Commands } from './commands.ts'

const PASTE_BEGIN = '27 91 50 48 48 126'.split(' ')
const PASTE_END = '27 91 50 48 49 126'.split(' ')
/** A program takes no argument above 128 kB. Bytes. */
const MOST_IN_ARGUMENT = 100_000

/**
 * One paste. What does not fit into one command goes in several: Zellij itself writes the begin, the text and the end of a paste, and drops the
 * first and the last, where they come alone, for a program that did not ask for them.
 */
export async function pasteText(commands: Commands, paneId: PaneId, text: string): Promise<TypeResult> {
  if (text === '') return { kind: 'typed' }
  if (Buffer.byteLength(text) <= MOST_IN_ARGUMENT) return write(commands, 'paste', paneId, [text])
  const steps: [action: string, words: readonly string[]][] = [
    ['write', PASTE_BEGIN],
    ...pieces(text).map((piece): [string, string[]] => ['write-chars', [piece]]),
    ['write', PASTE_END],
  ]
  for (const [action, words] of steps) {
    const result = await write(commands, action, paneId, words)
    if (result.kind !== 'typed') return result
  }
  return { kind: 'typed' }
}

export const pressKey = (commands: Commands, paneId: PaneId, key: 'Enter' | 'Escape'): Promise<TypeResult> =>
  write(commands, 'write', paneId, [key === 'Enter' ? '13' : '27'])

/** A failure may be that of another command (queries.ts): nobody knows then whether this one did what it should, so nothing is said to be free to be done again. */
async function write(commands: Commands, action: string, paneId: PaneId, words: readonly string[]): Promise<TypeResult> {
  const reply = await commands.action(action, '--pane-id', paneId, '--', ...words)
  if (reply.kind === 'failed') {
    throw new ExomonadError('MULTIPLEXER_UNAVAILABLE', `Zellij may not have typed into ${paneId}: ${reply.reason}. Run \`exomonad doctor\`.`, {
      session: commands.session,
      outcome: 'unknown',
    })
  }
  return { kind: reply.kind === 'done' ? 'typed' : 'gone' }
}

/** Between characters, never within one. */
function pieces(text: string): string[] {
  const found: string[] = []
  let piece = ''
  let bytes = 0
  for (const character of text) {
    const size = Buffer.byteLength(character)
    if (bytes + size > MOST_IN_ARGUMENT) {
      found.push(piece)
      piece = ''
      bytes = 0
    }
    piece += character
    bytes += size
  }
  return [...found, piece]
}
