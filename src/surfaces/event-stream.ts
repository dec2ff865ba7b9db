/** One message of a server-sent event stream. */
export interface StreamMessage {
  /** Last id seen so far in the stream; undefined before the first. */
  readonly id: string | undefined
  readonly event: string
  readonly data: string
}

/**
 * Messages of a server-sent event stream (WHATWG HTML, “Server-sent events”) from its bytes.
 * Comments are dropped.
 */
export async function* parseEventStream(
  bytes: AsyncIterable<Uint8Array>,
): AsyncGenerator<StreamMessage> {
  const decoder = new TextDecoder()
  let held = ''
  let id: string | undefined
  let event = ''
  let data: string[] = []
  for await (const chunk of bytes) {
    held += decoder.decode(chunk, { stream: true })
    const lines = held.split(/\r\n|\n|\r(?!$)/)
    held = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data.length > 0)
          yield { id, event: event === '' ? 'message' : event, data: data.join('\n') }
        event = ''
        data = []
        continue
      }
      const colon = line.indexOf(':')
      if (colon === 0) continue
      const field = colon < 0 ? line : line.slice(0, colon)
      const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
      if (field === 'data') data.push(value)
      else if (field === 'event') event = value
      else if (field === 'id') id = value
    }
  }
}
