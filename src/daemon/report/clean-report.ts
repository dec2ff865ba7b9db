import { hostname, userInfo } from 'node:os'
import type { Environment } from '../../config/environment.ts'
import { redact } from '../../sanitize/secrets.ts'

/** Variables whose values let somebody in. */
const SECRET = /TOKEN|SECRET|PASSWORD|PASSWD|CREDENTIAL|API_?KEY|PRIVATE|COOKIE|_URL$|_DSN$|^PG/i

/**
 * A text that goes to strangers: without what is known to be secret, without whatever looks like a
 * token or is as random as one, and without who and where this is.
 */
export function cleanReport(
  text: string,
  options: {
    environment: Environment
    /** The owner’s token, and others in clear. */
    tokens: readonly string[]
    /** SHA-256, hex, of agents’ tokens. */
    hashes: readonly string[]
    /** Folders by what they are called instead, the inner ones first. */
    places: readonly (readonly [path: string, called: string])[]
  },
): string {
  const { environment, tokens, hashes, places } = options
  const known = new Set(hashes)
  const values = Object.entries(environment.variables)
    .filter(([name]) => SECRET.test(name))
    .map(([, value]) => value)
    .concat(tokens)
  const out = redact(text, {
    values: () => values,
    hasHash: (hash) => known.has(hash),
    entropy: () => true,
  })
  // Addresses with a password in them are no token by their shape.
  const addressed = out.replaceAll(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]+@/gi, '$1[redacted]@')
  const placed = places.reduce(
    (left, [path, called]) =>
      // A home of `/`, or none, is in everything.
      path.length < 2
        ? left
        : left.replaceAll(new RegExp(`${literally(path)}(?![\\w-])`, 'g'), called),
    addressed,
  )
  const who = [
    [userInfo().username, '<user>'],
    [hostname(), '<host>'],
  ] as const
  return who.reduce(
    (left, [name, called]) =>
      name.length < 3 || name === 'root'
        ? left
        : left.replaceAll(new RegExp(`(?<![\\w-])${literally(name)}(?![\\w-])`, 'g'), called),
    placed,
  )
}

const literally = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`)
