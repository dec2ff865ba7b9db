import type { WireEvent } from '../client.ts'
import { printableLine } from './printable.ts'

/** What the terminal is known by. */
interface TerminalEnvironment {
  readonly variables: Readonly<Record<string, string>>
  readonly inside: { readonly tmux: object | null }
}

/** Characters of title and body: more is in no notification. */
const TITLE = 80
const BODY = 300

/**
 * What makes the terminal itself notify its person, where an event says that they were told by
 * terminals; null for all other events. OSC 777 where that is what a terminal knows, else OSC 9. In
 * tmux it is passed through to the terminal around it, where `allow-passthrough` is on.
 */
export function terminalNotice(
  { type, payload }: Pick<WireEvent, 'type' | 'payload'>,
  { variables, inside }: TerminalEnvironment,
): string | null {
  if (type !== 'person.notified' || payload['kind'] !== 'terminal') return null
  // Neither may hold what ends the sequence, nor what parts its fields.
  const word = (text: unknown, most: number): string =>
    printableLine(String(text ?? '').replaceAll(/\s*\n\s*/g, ', '))
      .replaceAll(/\p{Cc}/gu, '')
      .replaceAll(';', ',')
      .slice(0, most)
  const title = word(payload['title'], TITLE)
  const body = word(payload['body'], BODY)
  const isOf777 =
    variables['VTE_VERSION'] !== undefined || /^(rxvt|foot)/.test(variables['TERM'] ?? '')
  const sequence = isOf777
    ? `\u001B]777;notify;${title};${body}\u0007`
    : `\u001B]9;${body === '' ? title : `${title}: ${body}`}\u0007`
  return inside.tmux === null
    ? sequence
    : `\u001BPtmux;${sequence.replaceAll('\u001B', '\u001B\u001B')}\u001B\\`
}
