import { describe, expect, it } from 'vitest'
import {
  createSessions,
  LINK_LIFE,
  SESSION_LIFE,
  type KeptSession,
} from '../../../../src/surfaces/web/sessions.ts'

function sessionsAt(before: readonly KeptSession[] = []) {
  let now = 1_000_000
  let changes = 0
  const sessions = createSessions({ clock: () => now, before, changed: () => (changes += 1) })
  return {
    sessions,
    pass: (milliseconds: number) => (now += milliseconds),
    changes: () => changes,
  }
}
const open = (sessions: ReturnType<typeof sessionsAt>['sessions'], readOnly = false) => {
  const opened = sessions.open(sessions.link({ readOnly }).token)
  if (opened === undefined) throw new Error('the link was refused')
  return opened.cookie
}

describe('links', () => {
  it('let in once', () => {
    const { sessions } = sessionsAt()
    const { token } = sessions.link({ readOnly: false })
    expect(sessions.open(token)).toBeDefined()
    expect(sessions.open(token)).toBeUndefined()
  })

  it('are over after a minute', () => {
    const { sessions, pass } = sessionsAt()
    const early = sessions.link({ readOnly: false }).token
    const late = sessions.link({ readOnly: false }).token
    pass(LINK_LIFE - 1)
    expect(sessions.open(early)).toBeDefined()
    pass(1)
    expect(sessions.open(late)).toBeUndefined()
  })

  it('pass on whether anything may be changed', () => {
    const { sessions } = sessionsAt()
    expect(sessions.find(open(sessions, true))?.readOnly).toBe(true)
    expect(sessions.find(open(sessions, false))?.readOnly).toBe(false)
  })

  it('are no cookies, and cookies no links', () => {
    const { sessions } = sessionsAt()
    const { token } = sessions.link({ readOnly: false })
    expect(sessions.find(token)).toBeUndefined()
    expect(sessions.open(open(sessions))).toBeUndefined()
    expect(sessions.find('')).toBeUndefined()
  })
})

describe('sessions', () => {
  it('end after twelve hours, with all that is open in them', () => {
    const { sessions, pass } = sessionsAt()
    const cookie = open(sessions)
    const signal = sessions.find(cookie)?.signal
    pass(SESSION_LIFE - 1)
    expect(sessions.find(cookie)).toBeDefined()
    pass(1)
    expect(sessions.find(cookie)).toBeUndefined()
    expect(signal?.aborted).toBe(true)
  })

  it('end when they are closed', () => {
    const { sessions } = sessionsAt()
    const cookie = open(sessions)
    const signal = sessions.find(cookie)?.signal
    sessions.close(cookie)
    expect(sessions.find(cookie)).toBeUndefined()
    expect(signal?.aborted).toBe(true)
    expect(sessions.kept()).toEqual([])
  })

  it('end with all that came of the same link, before a restart or after it, and no other', () => {
    const before = sessionsAt()
    const cookie = open(before.sessions)
    const other = open(before.sessions)
    const key = (of: string) => before.sessions.resumeKey(of) ?? ''
    const [first, second, others] = [key(cookie), key(cookie), key(other)]
    const { sessions } = sessionsAt(before.sessions.kept())
    const back = sessions.resume(first)?.cookie ?? ''
    // The second tab sleeps meanwhile.
    sessions.close(back)
    expect(sessions.resume(first)).toBeUndefined()
    expect(sessions.resume(second)).toBeUndefined()
    expect(sessions.kept().length).toBe(1)
    expect(sessions.resume(others)).toBeDefined()
  })

  it('end where their browser opens another link, which has its own rights', () => {
    const { sessions } = sessionsAt()
    const cookie = open(sessions)
    const signal = sessions.find(cookie)?.signal
    expect(sessions.open('no link', cookie)).toBeUndefined()
    expect(signal?.aborted).toBe(false)
    const next = sessions.open(sessions.link({ readOnly: true }).token, cookie)
    expect(signal?.aborted).toBe(true)
    expect(sessions.find(next?.cookie ?? '')?.readOnly).toBe(true)
  })

  it('are at most a hundred: the oldest go', () => {
    const { sessions } = sessionsAt()
    const first = open(sessions)
    const rest = Array.from({ length: 100 }, () => open(sessions))
    expect(sessions.find(first)).toBeUndefined()
    expect(rest.every((cookie) => sessions.find(cookie) !== undefined)).toBe(true)
  })
})

describe('a restart of the daemon', () => {
  it('makes every cookie worthless, and lets each tab in again by its key, once', () => {
    const before = sessionsAt()
    const cookie = open(before.sessions, true)
    const [one = '', other = ''] = [
      before.sessions.resumeKey(cookie),
      before.sessions.resumeKey(cookie),
    ]
    const { sessions, pass } = sessionsAt(before.sessions.kept())
    expect(sessions.find(cookie)).toBeUndefined()
    const again = sessions.resume(one)
    expect(sessions.find(again?.cookie ?? '')?.readOnly).toBe(true)
    expect(sessions.resumeKey(again?.cookie ?? '')).toBeDefined()
    expect(sessions.resume(one)).toBeUndefined()
    expect(sessions.resume(other)).toBeDefined()
    // The twelve hours go on from the link.
    pass(SESSION_LIFE)
    expect(sessions.find(again?.cookie ?? '')).toBeUndefined()
  })

  it('locks nobody out whose answer was lost, by the next crash or on the way', () => {
    const before = sessionsAt()
    const key = before.sessions.resumeKey(open(before.sessions)) ?? ''
    const { sessions } = sessionsAt(before.sessions.kept())
    const lost = sessions.resume(key)?.cookie ?? ''
    const signal = sessions.find(lost)?.signal
    const after = sessionsAt(sessions.kept()).sessions
    expect(after.resume(key)).toBeDefined()
    const got = sessions.resume(key)?.cookie ?? ''
    expect(sessions.find(lost)).toBeUndefined()
    expect(signal?.aborted).toBe(true)
    const next = sessions.resumeKey(got) ?? ''
    expect(sessions.kept()).toHaveLength(1)
    expect(sessionsAt(sessions.kept()).sessions.resume(key)).toBeUndefined()
    expect(sessionsAt(sessions.kept()).sessions.resume(next)).toBeDefined()
  })

  it('gives a tab that is connected anew no second key', () => {
    const { sessions, changes } = sessionsAt()
    const cookie = open(sessions)
    const key = sessions.resumeKey(cookie)
    const before = changes()
    expect(sessions.resumeKey(cookie, key)).toBe(key)
    expect(changes()).toBe(before)
    expect(sessions.kept()).toHaveLength(1)
    // One that another daemon gave is none.
    expect(sessions.resumeKey(cookie, 'of another')).not.toBe('of another')
  })

  it('keeps nothing of which a cookie or a key could be made', () => {
    const { sessions } = sessionsAt()
    const cookie = open(sessions)
    const key = sessions.resumeKey(cookie) ?? ''
    const kept = JSON.stringify(sessions.kept())
    expect(kept).not.toContain(cookie)
    expect(kept).not.toContain(key)
    expect(sessionsAt(sessions.kept()).sessions.resume(sessions.kept()[0]?.resume ?? '')).toBe(
      undefined,
    )
  })

  it('lets nobody in whose twelve hours are over', () => {
    const before = sessionsAt()
    const key = before.sessions.resumeKey(open(before.sessions)) ?? ''
    const { sessions, pass } = sessionsAt(before.sessions.kept())
    pass(SESSION_LIFE)
    expect(sessions.resume(key)).toBeUndefined()
  })

  it('is told of each key, which has to be on disk before it is needed', () => {
    const { sessions, changes } = sessionsAt()
    const cookie = open(sessions)
    const before = changes()
    sessions.resumeKey(cookie)
    expect(changes()).toBe(before + 1)
  })
})
