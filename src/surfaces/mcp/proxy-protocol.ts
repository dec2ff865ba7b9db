/** How `exomonad mcp` asks the daemon for the connection that it pumps its stdio through. */
export const STDIO_PATH = '/v1/mcp'
export const STDIO_PROTOCOL = 'mcp-stdio'

type Id = string | number

/** What the proxy needs to know of a line: whether it asks for an answer, or is one. Lines are passed on as they are, whatever they hold. */
export type LineKind = { readonly kind: 'request' | 'response'; readonly id: Id } | { readonly kind: 'other' }

export function kindOf(line: string): LineKind {
  try {
    const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown }
    if (typeof id !== 'string' && typeof id !== 'number') return { kind: 'other' }
    return { kind: method === undefined ? 'response' : 'request', id }
  } catch {
    return { kind: 'other' }
  }
}

/** The answer to a request that nobody else will answer. */
export const lostAnswer = (id: Id, error: { message: string; toJSON(): unknown }): string =>
  JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32000, message: error.message, data: error.toJSON() } })

/** Gives whole lines, without their ends, however the text is cut. */
export function lineSplitter(take: (line: string) => void): (text: string) => void {
  let pieces: string[] = []
  return (text) => {
    const lines = text.split('\n')
    const last = lines.pop() ?? ''
    for (const [index, line] of lines.entries()) {
      take(index === 0 ? pieces.join('') + line : line)
      pieces = []
    }
    if (last !== '') pieces.push(last)
  }
}
