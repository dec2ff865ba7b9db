import { createHash, randomBytes } from 'node:crypto'

/** Milliseconds that a link is good for, and what is opened with it. */
export const LINK_LIFE = 60_000
export const SESSION_LIFE = 12 * 60 * 60_000
/** Links, sessions and resume keys that are kept; of more the oldest go. */
const MOST = 100

export interface Session {
  readonly readOnly: boolean
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
  /** Aborted when it ends. */
  readonly signal: AbortSignal
  /** Whether this is the page key that went with its link. */
  isPage(key: string): boolean
}

/** What of a session outlives the daemon: not its cookie. */
export interface KeptSession {
  /** SHA-256 of its resume key, hex. */
  readonly resume: string
  /** SHA-256 of the link that it goes back to, hex: all that came of one end together. */
  readonly link: string
  /** SHA-256 of the page key, hex: the same for all that came of that link. */
  readonly page: string
  readonly readOnly: boolean
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** What a link becomes. */
interface Opened {
  readonly cookie: string
  readonly expiresAt: number
}

/**
 * Who has the page open. A link is good once, and becomes a cookie and a page key. Cookies are known
 * to this process alone, so that one that was copied is worth nothing after a restart. A browser
 * sends them to every port of the host, so to whatever an agent serves there: what only the page
 * has, kept by its origin, is the page key. A page that is open through a restart has a resume key,
 * which it changes for another cookie and resume key.
 */
export interface Sessions {
  /** A secret for a link. */
  link(rights: { readonly readOnly: boolean }): { token: string; expiresAt: number }
  /**
   * The cookie’s value and the page key; undefined where the link is unknown, was used, or is too
   * old. What the browser had open by the cookie `before` ends: it has only one.
   */
  open(token: string, before?: string): (Opened & { readonly page: string }) | undefined
  find(cookie: string): Session | undefined
  /**
   * A key for one page (a tab) of this session: the one that it has, where that is still good. The
   * key that the session was resumed by is used up with it.
   */
  resumeKey(cookie: string, has?: string): string | undefined
  /**
   * Good again until the page has the next key: an answer may be lost, with the daemon or on the
   * way. What was resumed by it before is over then.
   */
  resume(key: string): Opened | undefined
  /** With all that came of the same link: its other tabs too, and what they would come back by. */
  close(cookie: string): void
  /** By their resume keys. */
  kept(): readonly KeptSession[]
}

interface Open extends Session {
  readonly link: string
  readonly page: string
  readonly ending: AbortController
  readonly resumes: Set<string>
  readonly timer: NodeJS.Timeout
  /** Hash of the key it was resumed by, until its page has another. */
  by: string | undefined
}

const hash = (secret: string): string => createHash('sha256').update(secret).digest('hex')
const secret = (): string => randomBytes(32).toString('base64url')

/** `before`: of the daemon’s last life. `changed`: what is to be kept is another. */
export function createSessions(options: {
  readonly clock: () => number
  readonly before: readonly KeptSession[]
  readonly changed: () => void
}): Sessions {
  const { clock, changed } = options
  // By hash: what somebody reads of this memory opens nothing.
  const links = new Map<string, { readOnly: boolean; expiresAt: number }>()
  const open = new Map<string, Open>()
  const earlier = new Map(options.before.map((session) => [session.resume, session]))

  const forget = (key: string) => {
    const session = open.get(key)
    open.delete(key)
    clearTimeout(session?.timer)
    session?.ending.abort()
  }
  const tidy = () => {
    const now = clock()
    for (const [key, { expiresAt }] of links) if (expiresAt <= now) links.delete(key)
    for (const [key, { expiresAt }] of open) if (expiresAt <= now) forget(key)
    for (const [key, { expiresAt }] of earlier) if (expiresAt <= now) earlier.delete(key)
    for (const key of [...links.keys()].slice(0, Math.max(0, links.size - MOST))) links.delete(key)
    for (const key of [...open.keys()].slice(0, Math.max(0, open.size - MOST))) forget(key)
  }
  const endAll = (link: string) => {
    for (const [key, session] of open) if (session.link === link) forget(key)
    for (const [key, session] of earlier) if (session.link === link) earlier.delete(key)
  }
  const begin = (
    { link, page, readOnly, expiresAt }: Omit<KeptSession, 'resume'>,
    by?: string,
  ): Opened => {
    const cookie = secret()
    const ending = new AbortController()
    const key = hash(cookie)
    // What is open in it may say nothing more by which its end would be noticed.
    const timer = setTimeout(() => forget(key), expiresAt - clock())
    timer.unref()
    open.set(key, {
      ...{ link, page, readOnly, expiresAt, ending, timer, by },
      signal: ending.signal,
      isPage: (given) => hash(given) === page,
      resumes: new Set(),
    })
    tidy()
    return { cookie, expiresAt }
  }
  const found = (cookie: string): Open | undefined => {
    const key = hash(cookie)
    const session = open.get(key)
    if (session === undefined || session.expiresAt > clock()) return session
    forget(key)
    return undefined
  }
  const close = (cookie: string) => {
    const session = found(cookie)
    if (session === undefined) return
    endAll(session.link)
    changed()
  }

  return {
    link: ({ readOnly }) => {
      const token = secret()
      const expiresAt = clock() + LINK_LIFE
      links.set(hash(token), { readOnly, expiresAt })
      tidy()
      return { token, expiresAt }
    },
    open: (token, before = '') => {
      const key = hash(token)
      const link = links.get(key)
      links.delete(key)
      if (link === undefined || link.expiresAt <= clock()) return undefined
      close(before)
      const page = secret()
      const { readOnly } = link
      const expiresAt = clock() + SESSION_LIFE
      return { ...begin({ link: key, page: hash(page), readOnly, expiresAt }), page }
    },
    find: found,
    resumeKey: (cookie, has) => {
      const session = found(cookie)
      if (session === undefined) return undefined
      if (has !== undefined && session.resumes.has(hash(has))) return has
      const key = secret()
      session.resumes.add(hash(key))
      if (session.by !== undefined) {
        earlier.delete(session.by)
        for (const { resumes } of open.values()) resumes.delete(session.by)
        session.by = undefined
      }
      changed()
      return key
    },
    resume: (key) => {
      const by = hash(key)
      const kept = earlier.get(by) ?? [...open.values()].find(({ resumes }) => resumes.has(by))
      if (kept === undefined || kept.expiresAt <= clock()) return undefined
      for (const [cookie, session] of open) if (session.by === by) forget(cookie)
      return begin(kept, by)
    },
    close,
    kept: () => {
      tidy()
      const current = [...open.values()].flatMap(({ resumes, link, page, readOnly, expiresAt }) =>
        [...resumes].map((resume) => ({ resume, link, page, readOnly, expiresAt })),
      )
      return [...earlier.values(), ...current].slice(-MOST)
    },
  }
}
