import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../../helpers/daemon.ts'
import { isAlive } from '../../helpers/processes.ts'
import { waitFor } from '../../helpers/wait-for.ts'

function mentions(pid: string, text: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'latin1').includes(text)
  } catch {
    return false
  }
}

/** What is just ending shows none. */
function commandOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return `process ${pid}, which has ended since`
  }
}

async function prepare(options: ExomonadOptions = {}): Promise<Exomonad> {
  const tree = await startExomonad({ init: false, ...options })
  onTestFinished(() => tree.stop())
  return tree
}

describe('exomonad init', () => {
  it('writes a configuration of its own, trusts it, hides the rest from git, and starts the daemon', async () => {
    const tree = await prepare({ name: 'répo with spaces 日本', branch: 'feature/v1.2' })
    const { path } = tree.repository
    rmSync(join(path, '.exomonad'), { recursive: true })
    const first = await tree.run(['init', '--json'])
    expect(first.json).toMatchObject({
      already: false,
      root_branch: 'feature/v1.2',
      root_worktree: path,
      config_written: true,
      untrusted: [],
      daemon: { started: true },
    })
    expect(await tree.repository.git('status', '--porcelain', '-uall')).toBe('')
    mkdirSync(join(path, '.exomonad', 'worktrees', 'x'), { recursive: true })
    writeFileSync(join(path, '.exomonad', 'worktrees', 'x', 'file'), '')
    mkdirSync(join(path, '.exomonad', 'templates'))
    writeFileSync(join(path, '.exomonad', 'templates', 'note.liquid'), 'x')
    expect(
      await tree.repository.git('-c', 'core.quotePath=false', 'status', '--porcelain', '-uall'),
    ).toBe('')
    // By name it is git’s, and from then on like any other file.
    await tree.repository.git('add', '-f', '.exomonad/config.toml')
    await tree.repository.git('commit', '-q', '-m', 'Configure')
    writeFileSync(join(path, '.exomonad', 'config.toml'), '# changed\n', { flag: 'a' })
    await tree.repository.git('add', '-A')
    expect(await tree.repository.git('status', '--porcelain', '-uall')).toBe(
      'M  .exomonad/config.toml',
    )
    await tree.repository.git('reset', '-q', '--hard')
    expect(statSync(tree.state).mode & 0o777).toBe(0o700)
    expect(statSync(String(first.json.socket)).mode & 0o777).toBe(0o600)
    expect((await tree.tree()).root).toMatchObject({
      kind: 'root',
      branch: 'feature/v1.2',
      worktree: path,
    })
  })

  it('keeps trusting its own configuration when it is committed as it is, and not when it is changed', async () => {
    const tree = await prepare()
    rmSync(join(tree.repository.path, '.exomonad'), { recursive: true })
    await tree.command(['init'])
    await tree.repository.git('add', '-f', '.exomonad/config.toml')
    expect((await tree.command(['trust', '--check', '--json'])).json).toEqual({ trusted: true })
    writeFileSync(
      join(tree.repository.path, '.exomonad', 'config.toml'),
      '[forge.local]\nci = ["./evil.sh"]\n',
    )
    const check = await tree.command(['trust', '--check', '--json'])
    expect(check).toMatchObject({
      code: 1,
      json: { trusted: false, changed: ['.exomonad/config.toml'] },
    })
    const trusted = await tree.command(['trust'])
    expect(trusted.stdout).toContain('forge.local.ci  ./evil.sh')
    expect((await tree.command(['trust', '--check'])).code).toBe(0)
  })

  it('says that a configuration which came with the repository runs nothing yet', async () => {
    const tree = await prepare()
    await tree.repository.git('add', '-f', '.exomonad/config.toml')
    await tree.repository.git('commit', '-qm', 'Configure')
    const result = await tree.command(['init'])
    expect(result.code).toBe(0)
    expect(result.stdout).toContain(
      '.exomonad/config.toml came with this repository and runs nothing yet',
    )
    tree.script('w', { steps: [] })
    expect(
      await tree.refusal('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] }),
    ).toMatchObject({ code: 'UNTRUSTED_CONFIG' })
    await tree.command(['trust'])
    expect(await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })).toMatchObject(
      { errors: [] },
    )
  })

  it('works in a linked worktree, whose branch becomes the root’s, with everything in the main one', async () => {
    const tree = await prepare()
    const linked = join(tree.repository.folder, 'linked')
    await tree.repository.git('worktree', 'add', '-q', '-b', 'side.line', linked)
    const result = await tree.run(['init', '--json'], { cwd: linked })
    expect(result.json).toMatchObject({
      root_branch: 'side.line',
      root_worktree: linked,
      home: tree.repository.path,
    })
    expect((await tree.tree()).root).toMatchObject({ branch: 'side.line', worktree: linked })
    expect((await tree.command(['tree', '--json'], { cwd: linked })).json.root.branch).toBe(
      'side.line',
    )
  })

  it('works in a worktree of a bare repository, and says what is missing in the repository itself', async () => {
    const tree = await prepare()
    const bare = join(tree.repository.folder, 'bare.git')
    await tree.repository.git('clone', '-q', '--bare', tree.repository.path, bare)
    const refused = await tree.command(['init', '--json'], { cwd: bare })
    expect(refused).toMatchObject({ code: 1, json: { code: 'NOT_A_REPOSITORY' } })
    expect(refused.stderr).toContain('git worktree add')
    const worktree = join(tree.repository.folder, 'checkout')
    await tree.repository.gitIn(bare, 'worktree', 'add', '-q', worktree, 'main')
    const result = await tree.command(['init', '--json'], { cwd: worktree })
    expect(result.json).toMatchObject({
      root_branch: 'main',
      root_worktree: worktree,
      home: worktree,
      state: join(bare, 'exomonad'),
    })
    expect((await tree.command(['tree', '--json'], { cwd: worktree })).json.root.worktree).toBe(
      worktree,
    )
    expect((await tree.command(['daemon', 'status', '--json'], { cwd: bare })).json.running).toBe(
      true,
    )
    await tree.command(['down'], { cwd: worktree })
  })

  it('finishes what an earlier one, cut off in the middle, left', async () => {
    const tree = await prepare()
    await tree.command(['init'])
    await tree.command(['daemon', 'stop'])
    rmSync(join(tree.state, 'repository.json'))
    expect((await tree.command(['tree', '--json'])).json).toMatchObject({ code: 'NOT_INITIALIZED' })
    expect((await tree.command(['init', '--json'])).json).toMatchObject({
      already: false,
      config_written: false,
      daemon: { started: true },
    })
    expect((await tree.tree()).root.branch).toBe('main')
  })
})

describe('exomonad deinit', () => {
  it('ends agents, daemon and their terminals, with a configuration that is broken by now as well', async () => {
    for (const multiplexer of ['headless', 'tmux'] as const) {
      const tree = await prepare({ multiplexer })
      await tree.command(['init'])
      tree.script('w', { steps: [] })
      await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
      const { pid } = await tree.agent('w')
      const daemon = await tree.daemonPid()
      await tree.command(['daemon', 'stop'])
      writeFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), '[limts]')
      const result = await tree.run(['deinit', '--json'])
      expect(result.code).toBe(0)
      expect(result.json.warnings[0]).toContain('did you mean "limits"?')
      expect(isAlive(pid)).toBe(false)
      expect(isAlive(daemon)).toBe(false)
      // A client of tmux has left its server a moment before it ends.
      await waitFor('nothing to be left', () => {
        const left = readdirSync('/proc').filter(
          (entry) => /^\d+$/.test(entry) && mentions(entry, tree.repository.folder),
        )
        return left.length === 0 || Promise.reject(new Error(left.map(commandOf).join('\n')))
      })
    }
  })

  it('does nothing in a terminal that it would end', async () => {
    const tree = await prepare()
    await tree.command(['init'])
    const hash = repositoryHash(dirname(tree.state))
    const refused = {
      code: 1,
      json: { code: 'NOT_AVAILABLE', error: expect.stringContaining('run it in another terminal') },
    }
    expect(
      await tree.command(['deinit', '--json'], {
        env: { TMUX: `/tmp/tmux-0/exomonad-${hash},4711,0` },
      }),
    ).toMatchObject(refused)
    expect(
      await tree.command(['deinit', '--json'], {
        env: { ZELLIJ: '0', ZELLIJ_SESSION_NAME: `exo-${hash.slice(0, 8)}` },
      }),
    ).toMatchObject(refused)
    expect(await tree.daemonPid()).toBeGreaterThan(0)
    const elsewhere = {
      TMUX: '/tmp/tmux-0/default,4711,0',
      ZELLIJ: '0',
      ZELLIJ_SESSION_NAME: 'mine',
    }
    expect(await tree.run(['deinit', '--json'], { env: elsewhere })).toMatchObject({ code: 0 })
  })

  it('leaves nothing but branches where all work is merged', async () => {
    const tree = await prepare()
    rmSync(join(tree.repository.path, '.exomonad'), { recursive: true })
    const before = await tree.repository.git('config', '--list', '--local')
    await tree.command(['init'])
    // As an earlier version set it up, whose exceptions let `git add -A` take the configuration:
    // init brings that up to date, beside lines of others.
    const exclude = join(tree.state, '..', 'info', 'exclude')
    const now = readFileSync(exclude, 'utf8')
    const earlier = ['/.exomonad/*', '!/.exomonad/config.toml', '!/.exomonad/templates/']
    const file = join(tree.state, 'repository.json')
    const facts = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...facts, made: { ...facts.made, excludes: earlier } }))
    writeFileSync(exclude, `${now.replace(/^.*exomonad.*\n/gm, '')}${earlier.join('\n')}\n`)
    expect((await tree.command(['init'])).code).toBe(0)
    expect(readFileSync(exclude, 'utf8')).toBe(now)
    await tree.repository.git('add', '-A')
    expect(await tree.repository.git('diff', '--cached', '--name-only')).toBe('')
    const result = await tree.run(['deinit', '--json'])
    expect(result).toMatchObject({ code: 0, json: { kept: [] } })
    expect(existsSync(tree.state)).toBe(false)
    expect(existsSync(join(tree.repository.path, '.exomonad'))).toBe(false)
    expect(readFileSync(join(tree.state, '..', 'info', 'exclude'), 'utf8')).not.toContain(
      'exomonad',
    )
    expect(await tree.repository.git('config', '--list', '--local')).toBe(before)
    expect((await tree.command(['ps', '--json'])).json).toEqual({ repositories: [] })
    expect((await tree.command(['tree', '--json'])).json).toMatchObject({ code: 'NOT_INITIALIZED' })
  })

  it('leaves unmerged and uncommitted work and says where; init takes it up again', async () => {
    const tree = await prepare()
    await tree.command(['init'])
    tree.script('dirty', { steps: [{ do: 'write', path: 'a.txt', content: 'a' }] })
    tree.script('ahead', {
      steps: [
        { do: 'write', path: 'b.txt', content: 'b' },
        { do: 'commit', message: 'Add b' },
      ],
    })
    tree.script('idle', { steps: [] })
    await tree.call('spawn_workers', {
      specs: ['dirty', 'ahead', 'idle'].map((name) => ({ name, prompt: 'x' })),
    })
    const folder = (name: string): string =>
      join(tree.repository.path, '.exomonad', 'worktrees', name)
    await expect
      .poll(() => existsSync(join(folder('dirty'), 'a.txt')), { timeout: 30_000 })
      .toBe(true)
    await expect
      .poll(() => tree.repository.git('log', '-1', '--format=%s', 'main.ahead'), {
        timeout: 30_000,
      })
      .toBe('Add b')
    const result = await tree.command(['deinit', '--json'])
    expect(result.code).toBe(0)
    const reasons = Object.fromEntries(
      result.json.kept.map((kept: { path: string; reason: string }) => [kept.path, kept.reason]),
    )
    expect(reasons[folder('dirty')]).toBe('uncommitted changes: a.txt')
    expect(reasons[folder('ahead')]).toBe('not proven merged')
    expect(reasons[join(tree.repository.path, '.exomonad', 'config.toml')]).toBe(
      'it was there before init',
    )
    expect(existsSync(join(folder('dirty'), 'a.txt'))).toBe(true)
    expect(existsSync(folder('idle'))).toBe(false)
    for (const branch of ['main.dirty', 'main.ahead', 'main.idle'])
      expect(result.json.branches_left).toContain(branch)
    expect((await tree.command(['tree', '--json'])).json).toMatchObject({ code: 'NOT_INITIALIZED' })
    await tree.command(['init'])
    expect((await tree.agent('ahead')).branch).toBe('main.ahead')
  })

  it('removes a changed configuration only with --force, and never a tracked one', async () => {
    const tree = await prepare()
    const config = join(tree.repository.path, '.exomonad', 'config.toml')
    rmSync(config)
    await tree.command(['init'])
    writeFileSync(config, '# mine\n')
    expect((await tree.command(['deinit'])).stdout).toContain('you changed it; --force removes it')
    expect(existsSync(config)).toBe(true)
    rmSync(config)
    await tree.command(['init'])
    writeFileSync(config, '# mine\n')
    await tree.command(['deinit', '--force'])
    expect(existsSync(config)).toBe(false)
    await tree.command(['init'])
    await tree.repository.git('add', '-f', config)
    expect((await tree.command(['deinit', '--force'])).stdout).toContain('git tracks it')
    expect(existsSync(config)).toBe(true)
  })
})
