import { describe, expect, it } from 'vitest'
import type { GithubClient } from '../../../../../src/adapters/forge/github/client/client.ts'
import { createWriteAccess } from '../../../../../src/adapters/forge/github/write-access.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { createLog } from '../../../../../src/runtime/log.ts'

const MINUTE = 60_000
const ann = { login: 'ann', bot: false }

function opened(permissions: Record<string, string | ExomonadError>) {
  const asked: string[] = []
  const warnings: string[] = []
  const lacks: string[] = []
  let now = 0
  const client = {
    rest: async (_: string, { username }: { username: string }) => {
      asked.push(username)
      const permission = permissions[username]
      if (permission instanceof ExomonadError) throw permission
      return permission === undefined
        ? { status: 404, data: {}, headers: {} }
        : { status: 200, data: { permission }, headers: {} }
    },
  } as unknown as GithubClient
  const log = createLog({
    level: 'warn',
    destination: { write: (line: string) => void warnings.push(line) },
  })
  return {
    mayWrite: createWriteAccess({
      ...{ client, clock: () => now, log },
      reportLack: async ({ key }) => void lacks.push(key),
    }),
    lacks,
    asked,
    warnings,
    permissions,
    pass: (time: number) => (now += time),
  }
}
const away = () => new ExomonadError('FORGE_UNAVAILABLE', 'away')
const refused = () => new ExomonadError('FORGE_DENIED', 'Must have push access', { status: 403 })

describe('who may write to the repository (20.1)', () => {
  it('is what GitHub says of the permission, not what it calls them', async () => {
    const { mayWrite } = opened({ admin: 'admin', ann: 'write', bob: 'read', eve: 'none' })
    const isFor = (login: string) =>
      mayWrite({ login, bot: false }, login === 'bob' ? 'MEMBER' : 'NONE')
    expect(await Promise.all(['admin', 'ann', 'bob', 'eve', 'gone'].map(isFor))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ])
    expect(await mayWrite({ login: 'ann', bot: true }, 'OWNER')).toBe(false)
  })

  it('is asked once in ten minutes for each, whatever the case of the name', async () => {
    const { mayWrite, asked, permissions, pass } = opened({ ann: 'write' })
    await Promise.all([mayWrite(ann, 'NONE'), mayWrite({ ...ann, login: 'Ann' }, 'NONE')])
    pass(10 * MINUTE - 1)
    expect(await mayWrite(ann, 'NONE')).toBe(true)
    expect(asked).toEqual(['ann'])
    permissions['ann'] = 'read'
    pass(1)
    expect(await mayWrite(ann, 'NONE')).toBe(false)
  })

  it('is what was known while GitHub is away, and unknown where nothing was', async () => {
    const { mayWrite, asked, permissions, pass } = opened({ ann: 'write' })
    await mayWrite(ann, 'NONE')
    pass(10 * MINUTE)
    permissions['ann'] = away()
    expect(await mayWrite(ann, 'NONE')).toBe(true)
    permissions['ann'] = 'read'
    expect(await mayWrite(ann, 'NONE')).toBe(false)
    permissions['bob'] = away()
    await expect(mayWrite({ login: 'bob', bot: false }, 'OWNER')).rejects.toMatchObject({
      code: 'FORGE_UNAVAILABLE',
    })
    permissions['bob'] = 'write'
    expect(await mayWrite({ login: 'bob', bot: false }, 'NONE')).toBe(true)
    expect(asked).toHaveLength(5)
  })

  it('follows from the association where the token may not ask, which is said once', async () => {
    const { mayWrite, asked, warnings, lacks } = opened({ ann: refused(), eve: refused() })
    expect(await mayWrite(ann, 'MEMBER')).toBe(true)
    expect(await mayWrite(ann, 'NONE')).toBe(false)
    expect(await mayWrite({ login: 'eve', bot: false }, 'CONTRIBUTOR')).toBe(false)
    expect(asked).toEqual(['ann', 'eve'])
    expect(warnings).toHaveLength(1)
    expect(lacks).toEqual(['write-access'])
    await expect(mayWrite(ann)).rejects.toMatchObject({ code: 'FORGE_DENIED' })
  })
})
