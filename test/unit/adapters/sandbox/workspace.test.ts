import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { bubblewrapArguments, inOrder } from '../../../../src/adapters/sandbox/bubblewrap.ts'
import type { Mount } from '../../../../src/adapters/sandbox/sandbox.ts'
import {
  isWithin,
  toolFolders,
  workspaceMounts,
  type Workplace,
} from '../../../../src/adapters/sandbox/workspace.ts'

const PLACE: Workplace = {
  worktree: '/data/repo/.exomonad/worktrees/a',
  commonDir: '/data/repo/.git',
  gitDir: '/data/repo/.git/worktrees/a',
  branch: 'main.a',
  hasOwnConfig: false,
  emptyFile: '/data/repo/.git/exomonad/empty',
  state: '/data/repo/.git/exomonad',
  folder: '/data/repo/.git/exomonad/agents/1',
  home: '/home/me',
  socketFolder: '/data/repo/.git/exomonad/confined',
  reads: ['/home/me/.local/bin'],
  personal: [],
  configured: { read: [], write: [] },
  hidden: ['/data/repo/.git/exomonad', '/home/me/.local/state/exomonad', '/home/me/.ssh'],
}

/** What a path comes to: of the mounts in order, the last that it lies in. */
function accessTo(path: string, place: Partial<Workplace> = {}): Mount['access'] | 'absent' {
  const mounts = inOrder(workspaceMounts({ ...PLACE, ...place }))
  return mounts.findLast((mount) => isWithin(path, mount.path))?.access ?? 'absent'
}

describe('a workspace', () => {
  it.each([
    ['/data/repo/.exomonad/worktrees/a/src/x.ts', 'write'],
    ['/data/repo/.git/worktrees/a/index', 'write'],
    ['/data/repo/.git/worktrees/a/HEAD', 'write'],
    ['/data/repo/.git/objects/ab/cdef', 'write'],
    ['/data/repo/.git/refs/heads/main.a', 'write'],
    ['/data/repo/.git/exomonad/agents/1/own/tmp', 'write'],
    ['/home/me/.cache', 'write'],
    ['/tmp/x', 'write'],
  ])('lets it write %s', (path, access) => {
    expect(accessTo(path)).toBe(access)
  })

  it.each([
    ['HEAD', 'own'],
    ['refs/heads/main', 'own'],
    ['refs/remotes/exomonad/main.a', 'own'],
    ['refs/exomonad/kept/1-a', 'own'],
    ['refs/heads/main.a', 'shared'],
    ['refs/stash', 'shared'],
  ])('has it log %s in a place that is %s', (name, whose) => {
    const path = join(PLACE.commonDir, 'logs', name)
    const mount = inOrder(workspaceMounts(PLACE)).findLast((one) => isWithin(path, one.path))
    expect(mount?.access).toBe('write')
    expect(mount?.source).toBe(
      whose === 'own' ? join(PLACE.folder, 'own', mount?.path ?? '') : undefined,
    )
  })

  it.each([
    '/data/repo/.git/config',
    '/data/repo/.git/hooks/post-commit',
    '/data/repo/.git/info/attributes',
    '/data/repo/.git/HEAD',
    '/data/repo/.git/packed-refs',
    '/data/repo/.git/objects/pack/pack-1.pack',
    '/data/repo/.git/objects/info/alternates',
    '/data/repo/.git/worktrees/a/commondir',
    '/data/repo/.git/worktrees/a/gitdir',
    '/data/repo/.git/worktrees/a/config.worktree',
    '/data/repo/.git/worktrees/b/index',
    '/data/repo/.exomonad/worktrees/a/.git',
    '/data/repo/.git/exomonad/agents/1/channel.json',
    '/usr/bin/git',
    '/etc/passwd',
    '/home/me/.gitconfig',
    '/home/me/.local/bin/claude',
  ])('lets it read %s only', (path) => {
    expect(accessTo(path)).toBe('read')
  })

  it.each([
    '/data/repo/.env',
    '/data/repo/.exomonad/worktrees/b/src/x.ts',
    '/data/other/secret',
    '/root/x',
    '/var/lib/secret',
  ])('has no %s', (path) => {
    expect(accessTo(path)).toBe('absent')
  })

  it.each([
    '/data/repo/.git/exomonad/store.db',
    '/data/repo/.git/exomonad/auth/2',
    '/data/repo/.git/exomonad/agents/2/channel.json',
    '/home/me/.local/state/exomonad/x.token',
    '/home/me/.ssh/id_ed25519',
    '/run/user/0/bus',
  ])('shows nothing in the place of %s', (path) => {
    expect(accessTo(path)).toBe('none')
    // Not even below what is configured.
    expect(accessTo(path, { configured: { read: ['/home/me', '/data'], write: ['/run'] } })).toBe(
      path.startsWith('/run') ? 'write' : 'none',
    )
  })

  it('gives the home and the temporary folder a place of the agent’s own', () => {
    const sources = new Map(workspaceMounts(PLACE).map(({ path, source }) => [path, source]))
    expect(sources.get('/home/me')).toBe(`${PLACE.folder}/own/home/me`)
    expect(sources.get('/tmp')).toBe(`${PLACE.folder}/own/tmp`)
    expect(sources.get('/run/exomonad')).toBe(PLACE.socketFolder)
  })

  it('keeps what an agent CLI needs as it says', () => {
    const personal = [
      { path: '/home/me/.cli', access: 'own' },
      { path: '/home/me/.cli/settings', access: 'read' },
      { path: '/home/me/.cli/sessions', access: 'write', isFolder: true },
      { path: '/home/me/.cli.json', access: 'copy' },
    ] as const
    expect(accessTo('/home/me/.cli/settings/x', { personal })).toBe('read')
    expect(accessTo('/home/me/.cli/sessions/x', { personal })).toBe('write')
    const mounts = workspaceMounts({ ...PLACE, personal })
    expect(mounts.find(({ path }) => path === '/home/me/.cli')?.source).toBe(
      `${PLACE.folder}/own/home/me/.cli`,
    )
    // A copy lies in its own home.
    expect(mounts.some(({ path }) => path === '/home/me/.cli.json')).toBe(false)
  })
})

describe('the arguments of bubblewrap', () => {
  it('mount what lies in something after it', () => {
    const paths = inOrder(workspaceMounts(PLACE)).map(({ path }) => path)
    for (const [index, path] of paths.entries())
      for (const later of paths.slice(index + 1)) expect(isWithin(path, later)).toBe(false)
  })

  it('take capabilities and namespaces away, and the network where there is to be none', () => {
    const given = { mounts: [], cwd: '/w', unset: ['SSH_AUTH_SOCK'] }
    const workspace = bubblewrapArguments({ ...given, level: 'workspace' })
    for (const flag of ['--unshare-user', '--unshare-pid', '--unshare-ipc', '--cap-drop'])
      expect(workspace).toContain(flag)
    expect(workspace).not.toContain('--unshare-net')
    expect(workspace.join(' ')).toContain('--unsetenv SSH_AUTH_SOCK --chdir /w')
    expect(bubblewrapArguments({ ...given, level: 'offline' })).toContain('--unshare-net')
  })
})

describe('the folders of tools', () => {
  const folders = (...path: string[]): string[] =>
    toolFolders(path, { home: '/home/me', secret: ['/data/repo/.git/exomonad'] })

  it('are what lies beside a bin', () => {
    expect(folders('/opt/node/bin', '/home/me/.nvm/versions/node/v24/bin')).toEqual([
      '/opt/node',
      '/home/me/.nvm/versions/node/v24',
    ])
    expect(folders('/data/repo/node_modules/.bin')).toEqual(['/data/repo/node_modules'])
  })

  it('are the bin alone where settings and passwords lie beside it', () => {
    expect(folders('/home/me/.cargo/bin', '/home/me/.local/bin', '/home/me/bin')).toEqual([
      '/home/me/.cargo/bin',
      '/home/me/.local/bin',
      '/home/me/bin',
    ])
    expect(folders('/data/repo/bin')).toEqual(['/data/repo/bin'])
  })

  it('are none that a home or a secret lies in', () => {
    expect(folders('/', '/home', '/home/me', '/data', 'bin', '')).toEqual([])
  })
})
