import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'

/**
 * What the driver or the server threw, as the error people read: STORE_UNAVAILABLE, DISK_FULL,
 * STORE_CORRUPT or INTERNAL. `place` names the store.
 */
export function postgresFault(thrown: unknown, place: string): ExomonadError {
  if (thrown instanceof ExomonadError) return thrown
  const code = codeOf(thrown)
  if (code === '53100')
    return new ExomonadError(
      'DISK_FULL',
      `The disk of the store's server is full (${place}); nothing was lost. Make room there and try again.`,
      { store: place },
      { cause: thrown },
    )
  if (/^XX00[12]$/.test(code))
    return new ExomonadError(
      'STORE_CORRUPT',
      `The server says that the store is damaged (${place}): ${messageOf(thrown)}. Branches and worktrees are not affected; bring a backup of the database back.`,
      { store: place },
      { cause: thrown },
    )
  if (code === '42501')
    return unavailable(
      place,
      `its role lacks a right (${messageOf(thrown)}). It needs all of them on its own schema`,
      thrown,
    )
  if (isConnectionFault(thrown)) return unavailable(place, reasonOf(thrown), thrown)
  return asExomonadError(thrown)
}

export const unavailable = (place: string, reason: string, cause?: unknown): ExomonadError =>
  new ExomonadError(
    'STORE_UNAVAILABLE',
    `The store can’t be reached (${place}): ${reason}. Agents go on, hooks let them; the daemon tries again by itself, and nothing that was acknowledged is lost. Try again in a moment; \`exomonad store status\` looks from here.`,
    { store: place },
    { cause },
  )

/** Whether the connection is of no more use, or never came about. */
export function isConnectionFault(thrown: unknown): boolean {
  const code = codeOf(thrown)
  // Classes of SQLSTATE: connection exceptions, refused at sign-in, no such database, too many
  // connections, out of memory, ended by an operator, idle in a transaction for too long, read-only.
  if (/^(08|28|3D|533|532|57|25P0[34]|25006)/.test(code)) return true
  if (/^E[A-Z_]+$/.test(code) || code.startsWith('ERR_TLS') || /CERT|SELF_SIGNED/.test(code))
    return true
  return /^(Connection terminated|Client (has encountered|was closed)|timeout expired|Query read timeout|The server does not support SSL|SASL)/.test(
    messageOf(thrown),
  )
}

/** What a person can do about it, where the words of the server or system don't say it. */
function reasonOf(thrown: unknown): string {
  const code = codeOf(thrown)
  const said = messageOf(thrown)
  switch (code) {
    case 'ECONNREFUSED':
    case 'ENOENT':
      return `no server listens there (${said}). Start it, or correct host and port`
    case 'EACCES':
      return `its socket is not this user's to open (${said})`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `its name is not known (${said}). Correct the host`
    case '28P01':
    case '28000':
      return `it refuses the user or password (${said}). Correct them; ~/.pgpass is a good place for a password`
    case '3D000':
      return `${said}. Make it with \`createdb\`, or correct the name`
    case '53300':
      return `it has no connection left (${said}); a daemon needs two. End others, or raise max_connections`
    case '25006':
      return `it takes no writes (${said}): it is a standby. Name the primary`
    case '25P03':
      return `it ended the connection, as a transaction stood still for too long (${said})`
    case '57014':
      return `a statement took too long (${said})`
    case '57P03':
      return `it is starting or stopping (${said})`
    default:
      if (said.startsWith('SASL'))
        return `it wants a password, and there is none that fits. ~/.pgpass is a good place for it`
      return said
  }
}

export function codeOf(thrown: unknown): string {
  const code: unknown = thrown instanceof Error && 'code' in thrown ? thrown.code : ''
  return typeof code === 'string' ? code : ''
}

/** Of an attempt at several addresses the first. */
function messageOf(thrown: unknown): string {
  if (thrown instanceof AggregateError && thrown.message === '')
    return messageOf(thrown.errors[0] ?? 'no address answers')
  return thrown instanceof Error ? thrown.message : String(thrown)
}
