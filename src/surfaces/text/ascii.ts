import type { OutputStream, Terminal } from './terminal.ts'

/** Each as wide as what it stands for, so that tables and frames stay in line. */
const SIGNS: Readonly<Record<string, string>> = {
  ...{
    '’': "'",
    '‘': "'",
    '“': '"',
    '”': '"',
    '…': '~',
    '·': '-',
    '–': '-',
    '—': '-',
    '−': '-',
    '×': 'x',
  },
  ...{
    '→': '>',
    '←': '<',
    '↑': '^',
    '↓': 'v',
    '⇥': '>',
    '⇐': '<',
    '↵': '<',
    '›': '>',
    '▶': '>',
    '▸': '>',
  },
  ...{ '─': '-', '━': '-', '│': '|', '┃': '|', '├': '|', '┬': '+', '└': '`', '⎿': '`', '┊': ':' },
  ...{
    '✓': '+',
    '⚠': '!',
    '✗': 'x',
    '☒': 'x',
    '☐': 'o',
    '○': 'o',
    '◌': '.',
    '◇': '!',
    '◆': '*',
    '●': '*',
    '⏺': '*',
    '✻': '*',
    '■': '#',
    '✎': '&',
    '↻': '@',
    '⚡': '! ',
  },
  ...{ '◐': '*', '◓': '*', '◑': '*', '◒': '*' },
  ...{
    '⠋': '|',
    '⠙': '/',
    '⠹': '-',
    '⠸': '\\',
    '⠼': '|',
    '⠴': '/',
    '⠦': '-',
    '⠧': '\\',
    '⠇': '|',
    '⠏': '/',
  },
}

/**
 * Our own signs in ASCII. Letters of others stay: what they say is worth more than how it looks.
 */
// oxlint-disable-next-line no-control-regex -- ASCII is what this is about
export const toAscii = (text: string): string =>
  text.replace(/[^\x00-\x7f]/gu, (character) => SIGNS[character] ?? character)

/**
 * The terminal of a locale without UTF-8: what is written to it goes through `toAscii`, but for
 * what is written to `exact`.
 */
export const asciiTerminal = (terminal: Terminal): Terminal => ({
  stdin: terminal.stdin,
  stdout: asciiStream(terminal.stdout),
  stderr: asciiStream(terminal.stderr),
})

/** In all else the stream itself, so that it serves whoever wants a whole one. */
const asciiStream = (stream: OutputStream): OutputStream =>
  new Proxy(stream, {
    get: (target, key) => {
      if (key === 'exact') return target
      if (key === 'write')
        return (text: unknown, ...rest: unknown[]) =>
          (target.write as (...given: unknown[]) => boolean)(
            typeof text === 'string' ? toAscii(text) : text,
            ...rest,
          )
      const value = Reflect.get(target, key, target) as unknown
      return typeof value === 'function'
        ? (value as (...given: unknown[]) => unknown).bind(target)
        : value
    },
  })
