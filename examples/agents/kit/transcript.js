import { stripVTControlCharacters } from 'node:util'

/** What a person who attaches to the pane reads: one line an action, messages indented. */
export function createTranscript({ output, color }) {
  const paint = (code, text) => (color ? `\x1b[${code}m${text}\x1b[0m` : text)
  const clock = () => paint(2, new Date().toTimeString().slice(0, 8))
  const line = (sign, text) => output.write(`${clock()} ${sign} ${text}\r\n`)
  const block = (text, code) => {
    for (const part of stripVTControlCharacters(text).split('\n').slice(0, 40))
      output.write(`${paint(2, '         │')} ${paint(code, part)}\r\n`)
  }
  return {
    title: (text) => output.write(`\r\n${paint(1, text)}\r\n`),
    say: (text) => line(paint(35, '●'), text),
    run: (text) => line(paint(34, '$'), text),
    edit: (text) => line(paint(33, '✎'), text),
    tool: (text) => line(paint(36, '→'), text),
    good: (text) => line(paint(32, '✓'), text),
    bad: (text) => line(paint(31, '✗'), text),
    idle: () => line(paint(2, '○'), paint(2, 'idle; waiting for messages')),
    received(text) {
      line(paint(35, '◀'), paint(1, 'message'))
      block(text, 0)
    },
    output: (text) => block(text.trimEnd(), 2),
  }
}
