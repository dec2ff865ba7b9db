import { ApiError } from './errors.ts'
import { setClock } from '../parts/now.ts'
import { keptForTab } from '../parts/storage.ts'
import { forgetPageKey, pageKey } from './page-key.ts'
import { request } from './request.ts'

/** What this browser may do: nothing yet, what its link says, or nothing any more. */
export type Access =
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'open'
      readonly readOnly: boolean
      readonly expiresAt: number
      /** Which page the daemon serves now. */
      readonly build: string
    }
  /** `why`: what the daemon said. */
  | { readonly kind: 'none'; readonly why: string }

/** Where the key is with which this tab is let in again after a restart of the daemon. */
const KEY = 'exomonad.resume'

/** Whether this tab was let in before. */
export const hasKey = (): boolean => keptForTab.get(KEY) !== null

interface Opened {
  readonly read_only: boolean
  readonly expires_at: string
  /** What the daemon’s clock says. */
  readonly now: string
  readonly build: string
  readonly resume: string
}

/**
 * Asks the daemon what this browser may do; by the cookie of a link, or by the key that this tab
 * was given with one before. Throws DAEMON_UNAVAILABLE.
 */
export async function openSession(signal?: AbortSignal): Promise<Access> {
  const by = pageKey()
  const access = await tryToOpen(signal)
  // Another tab opened a link meanwhile, which ended what this one had, and is good for it, too.
  return access.kind === 'none' && pageKey() !== by ? tryToOpen(signal) : access
}

async function tryToOpen(signal: AbortSignal | undefined): Promise<Access> {
  try {
    return await read(signal)
  } catch (thrown) {
    if (!isRefused(thrown)) throw thrown
    const key = keptForTab.get(KEY)
    if (key === null) return { kind: 'none', why: thrown.message }
    try {
      // Good until there is another: an answer that is lost locks nobody out.
      await request('/session/resume', { body: { resume: key }, signal })
      return await read(signal)
    } catch (again) {
      if (!isRefused(again)) throw again
      keptForTab.remove(KEY)
      return { kind: 'none', why: again.message }
    }
  }
}

async function read(signal: AbortSignal | undefined): Promise<Access> {
  const key = keptForTab.get(KEY)
  const body = key === null ? {} : { resume: key }
  const opened = await request<Opened>('/session', { body, signal })
  keptForTab.set(KEY, opened.resume)
  setClock(Date.parse(opened.now))
  const { read_only: readOnly, build } = opened
  return { kind: 'open', readOnly, expiresAt: Date.parse(opened.expires_at), build }
}

/**
 * Ends it for all tabs that came of the same link, and leaves nothing by which this one is let in
 * again. Throws DAEMON_UNAVAILABLE.
 */
export async function closeSession(): Promise<void> {
  await request('/session/close', { body: {} })
  keptForTab.remove(KEY)
  forgetPageKey()
}

const isRefused = (thrown: unknown): thrown is ApiError =>
  thrown instanceof ApiError && (thrown.code === 'UNAUTHORIZED' || thrown.code === 'NOT_ALLOWED')
