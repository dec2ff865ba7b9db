import type { IncomingMessage } from 'node:http'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * Which requests may be the page’s own. Loopback alone keeps nobody out: every page that a browser
 * on this machine shows can send requests there, and by DNS rebinding under a name of its own.
 */

/** Names that no DNS server of a stranger can give to another address. */
const LOCAL = /^(?:localhost|127\.0\.0\.1|\[::1\])$/

/** A host as in `Host`, without its port, in small letters. */
const hostname = (host: string): string => host.replace(/:\d+$/, '').toLowerCase()

/** `hosts`: further names, of a proxy in front (`[web] hosts`). NOT_ALLOWED. */
export function requireKnownHost(request: IncomingMessage, hosts: readonly string[]): void {
  const { host = '' } = request.headers
  const name = hostname(host)
  if (LOCAL.test(name) || hosts.some((known) => known.toLowerCase() === name)) return
  throw new ExomonadError(
    'NOT_ALLOWED',
    `The page is not served as ${JSON.stringify(host)}. Open it as 127.0.0.1 or localhost, or name the host in [web] hosts.`,
    { host },
  )
}

/**
 * What changes something, and every WebSocket, has to come from the page itself: its origin is the
 * host that it asks. A browser always says it there; who says nothing is no page. NOT_ALLOWED.
 */
export function requireOwnOrigin(request: IncomingMessage): void {
  const { host = '', origin } = request.headers
  if (origin !== undefined && hostOf(origin) === host.toLowerCase() && !isFromElsewhere(request))
    return
  throw new ExomonadError(
    'NOT_ALLOWED',
    `The request comes from ${origin === undefined ? 'no page' : JSON.stringify(origin)}, not from the page at ${JSON.stringify(host)}.`,
    { origin: origin ?? null },
  )
}

/** The same of what only reads, where nothing need be said: NOT_ALLOWED where something else is. */
export function refuseOtherOrigin(request: IncomingMessage): void {
  if (request.headers.origin !== undefined) requireOwnOrigin(request)
  else if (isFromElsewhere(request))
    throw new ExomonadError('NOT_ALLOWED', 'The request comes from a page of another site.', {
      origin: null,
    })
}

/** As browsers say it where they do; `none`: a person typed the address. */
function isFromElsewhere({ headers }: IncomingMessage): boolean {
  const site = headers['sec-fetch-site']
  return site !== undefined && site !== 'same-origin' && site !== 'none'
}

/**
 * What only the page has (sessions.ts): a header, or of a WebSocket, which can have none, what
 * follows `exomonad` in its protocols. Empty where it is missing.
 */
export function pageKeyOf({ headers }: IncomingMessage): string {
  const header = headers['x-exomonad-page']
  if (typeof header === 'string') return header
  const [name, key = ''] = (headers['sec-websocket-protocol'] ?? '').split(/\s*,\s*/)
  return name === 'exomonad' ? key : ''
}

function hostOf(origin: string): string | undefined {
  try {
    const { protocol, host } = new URL(origin)
    return protocol === 'http:' || protocol === 'https:' ? host : undefined
  } catch {
    return undefined
  }
}
