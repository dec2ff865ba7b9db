import { asExomonadError } from '../../errors.ts'
import { readText, requestOverSocket } from '../socket-http.ts'

/** What a daemon says of itself on /healthz. */
export interface Health {
  readonly status: string
  readonly pid: number
  readonly version: string
  readonly repository: string
  readonly uptime_seconds?: number
  /** Kind of the forge it works with. */
  readonly forge?: string
  /** Name of the multiplexer that its agents run in. */
  readonly multiplexer?: string
}

/** Null where nobody answers on the socket within the limit (milliseconds). */
export async function readHealth(socket: string, limit = 2000): Promise<Health | null> {
  try {
    const response = await requestOverSocket({ socket, method: 'GET', path: '/healthz', timeout: limit, signal: AbortSignal.timeout(limit) })
    const text = await readText(response)
    return response.status === 200 ? (JSON.parse(text) as Health) : null
  } catch (error) {
    if (error instanceof SyntaxError || asExomonadError(error).code === 'DAEMON_UNAVAILABLE' || (error as Error).name === 'TimeoutError') return null
    throw error
  }
}
