import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnvironment, type Environment } from '../../../src/config/environment.ts'
import { readRepositoryFile, writeRepositoryFile } from '../../../src/config/repository-file.ts'
import {
  ensureOwnerToken,
  listRepositoryRecords,
  ownerTokenFile,
  readOwnerToken,
  removeUserState,
  userStateFolder,
  writeRepositoryRecord,
} from '../../../src/config/user-state.ts'

function home(): { environment: Environment; folder: string } {
  const folder = mkdtempSync(join(tmpdir(), 't-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { folder, environment: readEnvironment({ HOME: folder }) }
}

describe('the owner’s token', () => {
  it('is made once, for the owner alone, even by many at once', async () => {
    const { environment } = home()
    expect(await readOwnerToken(environment, '/r/.git')).toBeNull()
    const tokens = await Promise.all(
      Array.from({ length: 20 }, () => ensureOwnerToken(environment, '/r/.git')),
    )
    expect(new Set(tokens).size).toBe(1)
    expect(tokens[0]).toMatch(/^[0-9a-f]{64}$/)
    expect(await readOwnerToken(environment, '/r/.git')).toBe(tokens[0])
    expect(statSync(ownerTokenFile(environment, '/r/.git')).mode & 0o777).toBe(0o600)
    expect(statSync(userStateFolder(environment)).mode & 0o777).toBe(0o700)
    expect(readdirSync(userStateFolder(environment))).toHaveLength(1)
  })

  it('is another for another repository, and closes a folder that was open', async () => {
    const { environment } = home()
    mkdirSync(userStateFolder(environment), { recursive: true })
    chmodSync(userStateFolder(environment), 0o755)
    expect(await ensureOwnerToken(environment, '/a')).not.toBe(
      await ensureOwnerToken(environment, '/b'),
    )
    expect(statSync(userStateFolder(environment)).mode & 0o777).toBe(0o700)
  })

  it('is made anew in place of an empty file', async () => {
    const { environment } = home()
    mkdirSync(userStateFolder(environment), { recursive: true })
    writeFileSync(ownerTokenFile(environment, '/a'), '')
    const token = await ensureOwnerToken(environment, '/a')
    expect(await readOwnerToken(environment, '/a')).toBe(token)
  })
})

describe('records of repositories', () => {
  it('are listed by path, replaced, forgotten, and tolerate rubbish', async () => {
    const { environment } = home()
    expect(await listRepositoryRecords(environment)).toEqual([])
    const b = { commonDir: '/b/.git', home: '/b', socket: '/b/s', pid: 3 }
    const a = { commonDir: '/a/.git', home: '/a', socket: '/a/s', pid: null }
    await writeRepositoryRecord(environment, b)
    await writeRepositoryRecord(environment, a)
    await writeRepositoryRecord(environment, { ...b, pid: 4 })
    await ensureOwnerToken(environment, '/b/.git')
    writeFileSync(join(userStateFolder(environment), '0123456789.json'), '{')
    expect(await listRepositoryRecords(environment)).toEqual([a, { ...b, pid: 4 }])
    await removeUserState(environment, '/b/.git')
    expect(await listRepositoryRecords(environment)).toEqual([a])
    expect(await readOwnerToken(environment, '/b/.git')).toBeNull()
  })
})

describe('repository.json', () => {
  it('is read as it was written, absent as null, and damaged as a clear error', async () => {
    const { folder } = home()
    const file = join(folder, 'state', 'repository.json')
    expect(await readRepositoryFile(file)).toBeNull()
    const content = { version: 1, home: '/h', rootWorktree: '/h', socket: '/s' } as const
    await writeRepositoryFile(file, content)
    expect(await readRepositoryFile(file)).toEqual(content)
    writeFileSync(file, '{"version":1}')
    await expect(readRepositoryFile(file)).rejects.toThrow(
      /is damaged\. Remove it and run `exomonad init` again/,
    )
  })
})
