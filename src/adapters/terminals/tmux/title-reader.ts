/** As tmux says a title to a terminal that it was told can have one (OSC 0). */
const BEGIN = Buffer.from('\u001B]0;')
const END = 0x07
/** No title is longer; what is was none. */
const LONGEST = 8192

/**
 * Takes titles out of what tmux draws, however it is cut: gives the rest. Only a piece of what may
 * be a title is held back until the next chunk.
 */
export function createTitleReader(onTitle: (title: string) => void): (chunk: Buffer) => Buffer {
  let held: Buffer = Buffer.alloc(0)
  return (chunk) => {
    let rest = held.length === 0 ? chunk : Buffer.concat([held, chunk])
    const drawn: Buffer[] = []
    for (;;) {
      const begin = rest.indexOf(BEGIN)
      if (begin < 0) break
      const end = rest.indexOf(END, begin + BEGIN.length)
      if (end < 0 && rest.length - begin <= LONGEST) {
        held = rest.subarray(begin)
        drawn.push(rest.subarray(0, begin))
        return Buffer.concat(drawn)
      }
      const next = end < 0 ? begin + BEGIN.length : end + 1
      drawn.push(rest.subarray(0, end < 0 ? next : begin))
      if (end >= 0) onTitle(rest.toString('utf8', begin + BEGIN.length, end))
      rest = rest.subarray(next)
    }
    const part = partOfBegin(rest)
    held = rest.subarray(rest.length - part)
    drawn.push(rest.subarray(0, rest.length - part))
    return drawn.length === 1 ? (drawn[0] as Buffer) : Buffer.concat(drawn)
  }
}

/** How many bytes at its end could be the first of a title. */
function partOfBegin(bytes: Buffer): number {
  for (let length = Math.min(BEGIN.length - 1, bytes.length); length > 0; length -= 1)
    if (bytes.subarray(bytes.length - length).equals(BEGIN.subarray(0, length))) return length
  return 0
}
