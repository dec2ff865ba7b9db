import { asExomonadError } from '../../../domain/errors.ts'
import { readText, requestOverSocket } from '../../socket-http.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** What a daemon says of itself on /healthz. */
export interface Health {
  readonly status: string
  readonly pid: number
  readonly version: string
  /** Tells builds of one version apart; daemons of before have none. */
  readonly build?: string
  readonly repository: string
  readonly uptime_seconds?: number
  /** Folder with the owner’s token and what is trusted, as the daemon was started. */
  readonly user_state?: string
  /** Kind of the forge it works with. */
  readonly forge?: string
  /** Name of the multiplexer that its agents run in. */
  readonly multiplexer?: string
  /** Targets of [notify] that do not take what they are sent; `since`: ms since the epoch. */
  readonly notify_trouble?: readonly {
    readonly target: string
    readonly since: number
    readonly reason: string
  }[]
}

/** Errors of a connection to a socket that nobody listens on. */
const NOBODY = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR'])

/**
 * `absent`: nobody listens on the socket. `silent`: somebody does and did not say within the limit
 * (milliseconds) that all is well; it may be busy.
 */
export async function askHealth(
  socket: string,
  limit = 2000,
): Promise<Health | 'absent' | 'silent'> {
  try {
    const response = await requestOverSocket({
      socket,
      method: 'GET',
      path: '/healthz',
      timeout: limit,
      signal: AbortSignal.timeout(limit),
    })
    const text = await readText(response)
    return response.status === 200 ? (parseJson(text) as Health) : 'silent'
  } catch (thrown) {
    if (thrown instanceof SyntaxError || (thrown as Error).name === 'TimeoutError') return 'silent'
    const error = asExomonadError(thrown)
    if (error.code !== 'DAEMON_UNAVAILABLE') throw thrown
    return NOBODY.has(String((error.cause as NodeJS.ErrnoException | undefined)?.code))
      ? 'absent'
      : 'silent'
  }
}

/** Null where nobody answers on the socket within the limit (milliseconds). */
export async function readHealth(socket: string, limit = 2000): Promise<Health | null> {
  const answer = await askHealth(socket, limit)
  return typeof answer === 'string' ? null : answer
}
