import { setTimeout as delay } from 'node:timers/promises'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** OpenCode’s HTTP server, which runs in the terminal’s process. Kept in `channel`. */
export interface OpenCodeServer {
  readonly url: string
  readonly password: string
}

export const USERNAME = 'opencode'
/** Milliseconds for an answer that needs no work. */
const QUICK = 2500

/** Null where the program was started without one. */
export function serverOf(channel: Readonly<Record<string, string>> | null): OpenCodeServer | null {
  const { url, password } = channel ?? {}
  return url === undefined || password === undefined ? null : { url, password }
}

/** `refused`: nothing listens, so nothing was done. */
export type Answer =
  | {
      readonly kind: 'answered'
      readonly status: number
      readonly text: string
      readonly next: string | null
    }
  | { readonly kind: 'refused' }

/**
 * One request. Throws where an answer was due and did not come: then it is unknown what was
 * done.
 */
export async function request(
  server: OpenCodeServer,
  method: 'GET' | 'POST',
  path: string,
  options: {
    readonly query?: Readonly<Record<string, string>>
    readonly body?: object
    readonly timeout?: number
  } = {},
): Promise<Answer> {
  const url = new URL(path, server.url)
  for (const [key, value] of Object.entries(options.query ?? {})) url.searchParams.set(key, value)
  try {
    const response = await fetch(url, {
      method,
      headers: {
        authorization: `Basic ${Buffer.from(`${USERNAME}:${server.password}`).toString('base64')}`,
        ...(options.body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(options.body !== undefined && { body: JSON.stringify(options.body) }),
      redirect: 'error',
      signal: AbortSignal.timeout(options.timeout ?? QUICK),
    })
    return {
      kind: 'answered',
      status: response.status,
      text: await response.text(),
      next: response.headers.get('x-next-cursor'),
    }
  } catch (error) {
    const { code } = ((error as Error).cause ?? {}) as { code?: string }
    if (code === 'ECONNREFUSED') return { kind: 'refused' }
    throw error
  }
}

/** The document, or null where the server is gone, refuses, or says something else. */
export async function read<Document>(
  server: OpenCodeServer,
  path: string,
  options: { readonly query?: Readonly<Record<string, string>>; readonly timeout?: number } = {},
): Promise<Document | null> {
  try {
    const answer = await request(server, 'GET', path, options)
    return answer.kind === 'answered' && answer.status === 200
      ? (parseJson(answer.text) as Document)
      : null
  } catch {
    return null
  }
}

/**
 * Waits until the server answers; false where it doesn’t in time, or `gone` says that its program
 * ended.
 */
export async function waitUntilUp(
  server: OpenCodeServer,
  limit: number,
  gone: () => boolean,
): Promise<boolean> {
  for (const deadline = Date.now() + limit; Date.now() < deadline && !gone(); await delay(100)) {
    if ((await read<{ healthy?: boolean }>(server, '/global/health'))?.healthy === true) return true
  }
  return false
}

export interface SessionInfo {
  readonly id: string
  readonly directory: string
  readonly agent?: string
  readonly time: { readonly created: number }
}

export const sessionPath = (id: string): string => `/session/${encodeURIComponent(id)}`

export const readSession = (server: OpenCodeServer, id: string): Promise<SessionInfo | null> =>
  read(server, sessionPath(id))

/**
 * Gives the session a prompt, mid-turn as well: verbatim, beside whatever stands in the terminal’s
 * box.
 */
export async function promptAsync(
  server: OpenCodeServer,
  id: string,
  prompt: { readonly text: string; readonly agent?: string },
): Promise<Answer> {
  return request(server, 'POST', `${sessionPath(id)}/prompt_async`, {
    body: {
      parts: [{ type: 'text', text: prompt.text }],
      ...(prompt.agent !== undefined && { agent: prompt.agent }),
    },
    timeout: 10_000,
  })
}
