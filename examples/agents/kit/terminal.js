import { StringDecoder } from 'node:string_decoder'

const PASTE_START = '\x1b[200~'
const PASTE_END = '\x1b[201~'

/**
 * Reads a raw terminal: what is pasted (bracketed) or typed becomes one message at Enter. `next()`
 * waits for the next message, `take()` returns one that is there already, both null after the end
 * of input.
 */
export function openTerminal({ input, output, onInterrupt }) {
  const messages = []
  const decoder = new StringDecoder('utf8')
  let waiting = null
  let ended = false
  let rest = ''
  let line = ''
  let pasting = false

  function submit() {
    const text = line.trim()
    line = ''
    if (text === '') return
    if (waiting === null) return void messages.push(text)
    const wake = waiting
    waiting = null
    wake(text)
  }

  function read(chunk) {
    rest += decoder.write(chunk)
    while (rest !== '') {
      if (pasting) {
        const end = rest.indexOf(PASTE_END)
        if (end < 0) {
          // The end mark may be cut in two by the read.
          const keep = longestTail(rest, PASTE_END)
          line += rest.slice(0, rest.length - keep)
          rest = rest.slice(rest.length - keep)
          return
        }
        line += rest.slice(0, end)
        rest = rest.slice(end + PASTE_END.length)
        line = line.replace(/\r\n?/g, '\n')
        pasting = false
      } else if (rest.startsWith(PASTE_START)) {
        rest = rest.slice(PASTE_START.length)
        pasting = true
      } else if (rest[0] === '\x1b') {
        if (PASTE_START.startsWith(rest)) return
        // oxlint-disable-next-line no-control-regex -- escape sequences are what is looked for
        rest = rest.replace(/^\x1b(\[[0-9;?]*[ -/]*[@-~]?|.)?/s, '')
      } else {
        type(rest[0])
        rest = rest.slice(1)
      }
    }
  }

  function type(character) {
    if (character === '\r' || character === '\n') submit()
    else if (character === '\x03') onInterrupt()
    else if (character === '\x7f') line = line.slice(0, -1)
    else if (character >= ' ') {
      line += character
      output.write(character)
    }
  }

  function end() {
    ended = true
    waiting?.(null)
  }

  if (input.isTTY) {
    input.setRawMode(true)
    output.write('\x1b[?2004h')
  }
  input.on('data', read)
  input.on('end', end)
  input.on('error', end)

  return {
    take: () => messages.shift() ?? null,
    next: () => {
      const ready = messages.shift()
      if (ready !== undefined || ended) return Promise.resolve(ready ?? null)
      return new Promise((resolve) => {
        waiting = resolve
      })
    },
    close() {
      if (input.isTTY) output.write('\x1b[?2004l')
      input.pause()
    },
  }
}

/** Length of the longest end of `text` that `mark` starts with. */
function longestTail(text, mark) {
  for (let length = Math.min(mark.length - 1, text.length); length > 0; length--)
    if (mark.startsWith(text.slice(-length))) return length
  return 0
}
