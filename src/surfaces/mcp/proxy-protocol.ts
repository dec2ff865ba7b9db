/** How `exomonad mcp` asks the daemon for the connection that it pumps its stdio through. */
export const STDIO_PATH = '/v1/mcp'
export const STDIO_PROTOCOL = 'mcp-stdio'

type Id = string | number

/**
 * By this header the proxy promises to say which answers it has written out: only those have
 * arrived.
 */
export const SAYS_WRITTEN = 'x-exomonad-says-written'
const WRITTEN = 'notifications/exomonad/written'

export const writtenNotice = (id: Id): string =>
  JSON.stringify({ jsonrpc: '2.0', method: WRITTEN, params: { id } })

/** The answer that a line says was written out; undefined for all other lines. */
export function writtenIn(line: string): Id | undefined {
  if (!line.includes(WRITTEN)) return undefined
  try {
    const { method, params } = JSON.parse(line) as { method?: unknown; params?: { id?: unknown } }
    const id = method === WRITTEN ? params?.id : undefined
    return typeof id === 'string' || typeof id === 'number' ? id : undefined
  } catch {
    return undefined
  }
}

/**
 * What has to be known of a line: whether it asks for an answer, or is one. Nothing else of it is
 * looked at, so that its depth is no matter here.
 */
export type LineKind =
  | { readonly kind: 'request' | 'response'; readonly id: Id }
  | { readonly kind: 'other' }

export function kindOf(line: string): LineKind {
  try {
    const { id, method } = JSON.parse(line) as { id?: unknown; method?: unknown }
    if (typeof id !== 'string' && typeof id !== 'number') return { kind: 'other' }
    return { kind: method === undefined ? 'response' : 'request', id }
  } catch {
    return { kind: 'other' }
  }
}

/**
 * The answer to a line that is not taken: to its sender by the id that it has, as JSON-RPC wants it
 * where it has none that can be read.
 */
export function refusalOf(line: string, reason: string): string {
  const asked = kindOf(line)
  const [id, code, what] =
    asked.kind === 'other'
      ? [null, -32700, 'The message is not JSON']
      : [asked.id, -32602, 'The message is not taken']
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message: `${what}: ${reason}.` } })
}

/** The answer to a request that nobody else will answer. */
export const lostAnswer = (id: Id, error: { message: string; toJSON(): unknown }): string =>
  JSON.stringify({
    jsonrpc: '2.0',
    id,
    error: { code: -32000, message: error.message, data: error.toJSON() },
  })

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
