/** A JSON-RPC request id. */
type Id = string | number

export interface RunningRequests {
  /** A call that a later message may end. */
  begin(client: string, id: Id): { readonly signal: AbortSignal; done(): void }
  /** Ends the calls that a posted body’s `notifications/cancelled` name; others are left alone. */
  cancelNamedIn(client: string, body: unknown): void
}

/**
 * Over HTTP, in the protocol of 2025, a client cancels with a message of its own, which reaches
 * another server object than the call did. Without this the call would go on, and an answer would
 * count as given to somebody who no longer listens. `client` distinguishes clients of one agent,
 * whose request ids are the same: without a session of its own (empty) a client cannot cancel.
 */
export function createRunningRequests(): RunningRequests {
  const running = new Map<string, AbortController>()
  const key = (client: string, id: Id): string => JSON.stringify([client, id])
  return {
    begin: (client, id) => {
      const controller = new AbortController()
      const name = key(client, id)
      if (client !== '') running.set(name, controller)
      return {
        signal: controller.signal,
        done: () => void (running.get(name) === controller && running.delete(name)),
      }
    },
    cancelNamedIn: (client, body) => {
      for (const id of cancelledIds(body))
        running.get(key(client, id))?.abort(new Error('the client cancelled the call'))
    },
  }
}

function cancelledIds(body: unknown): Id[] {
  return [body].flat().flatMap((message) => {
    const { method, params } = (message ?? {}) as {
      method?: unknown
      params?: { requestId?: unknown }
    }
    const id = params?.requestId
    return method === 'notifications/cancelled' &&
      (typeof id === 'string' || typeof id === 'number')
      ? [id]
      : []
  })
}
