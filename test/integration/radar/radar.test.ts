import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  truncateSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { notesWith, RADAR_FILES, useRadarWorld } from '../../helpers/radar-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'

describe('the radar', () => {
  const world = useRadarWorld()
  const { at, between, pairs, said, spawn, told, write } = world

  /** With whom each would conflict, as the tree shows it. */
  const conflicts = async (): Promise<Record<string, string[]>> =>
    Object.fromEntries(
      (await world.tree.call('tree')).root.children.map(({ name, conflicts: others }: any) => [
        ...[name, others],
      ]),
    )

  it('tells both and who looks after them of a conflict that nobody committed, once', async () => {
    await spawn('alpha', 'beta', 'gamma')
    write('alpha', 'notes.txt', notesWith(1, 'ALPHA'))
    expect(await pairs()).toEqual(
      [
        ['alpha', 'beta'],
        ['alpha', 'gamma'],
        ['alpha', 'main'],
        ['beta', 'gamma'],
        ['beta', 'main'],
        ['gamma', 'main'],
      ].map(([a, b]) => ({ a, b, status: 'clean', files: [] })),
    )
    write('beta', 'notes.txt', notesWith(1, 'BETA'))
    mkdirSync(join(at['gamma']!, 'sub'))
    write('gamma', 'sub/new.txt', 'new\n')
    const shown = JSON.parse((await world.tree.command(['radar', '--json'])).stdout)
    expect(Object.keys(shown)).toEqual(['pairs', 'at'])
    expect(shown.pairs.filter(({ status }: any) => status !== 'clean')).toEqual([
      { a: 'alpha', b: 'beta', status: 'conflict', files: ['notes.txt'] },
    ])
    await pairs()
    expect(told('conflict.foretold', 'alpha')).toEqual(['alpha', 'beta', 'human'])
    expect(await conflicts()).toEqual({ alpha: ['beta'], beta: ['alpha'], gamma: [] })
    const toBeta = said().find(({ to }) => to === 'beta')
    expect(toBeta?.text).toContain(
      'Your work and that of alpha would conflict, as it is in the worktrees now, committed or not:\n- notes.txt: you: line 2; alpha: line 2 (first touched by alpha)\nAgree with alpha by send',
    )
    // It waits for what begins a turn anyway, and goes along with that.
    expect(toBeta?.state).toBe('queued')
    await world.tree.call('send', { to: 'beta', message: 'Go on.' })
    await world.tree.logged(
      'beta',
      'both messages',
      ({ text }) => /CONFLICT AHEAD/.test(text ?? '') && /Go on/.test(text ?? ''),
    )
  })

  it('shows who × who, and both sides of a pair', async () => {
    const { stdout } = await world.tree.command(['radar'])
    expect(stdout).toContain('⚠ alpha × beta: notes.txt')
    expect(stdout).toMatch(/^alpha +⚠ 1 file +✓ +✓$/m)
    const detail = (await world.tree.command(['radar', 'beta', 'alpha'])).stdout
    expect(detail).toContain('alpha and beta conflict in 1 file')
    for (const line of ['-two', '+ALPHA', '+BETA', '@@ -2,1 +2,1 @@'])
      expect(detail).toContain(line)
    expect(
      JSON.parse((await world.tree.command(['radar', 'alpha', 'main', '--json'])).stdout).pair,
    ).toMatchObject({
      ...{ a: 'alpha', b: 'main', status: 'clean', files: [] },
    })
    expect(await world.tree.refusal('radar', { a: 'alpha', b: 'nobody' })).toMatchObject({
      code: 'AGENT_NOT_FOUND',
    })
    expect(await world.tree.refusal('radar', { a: 'alpha', b: 'alpha' })).toMatchObject({
      code: 'INVALID_ARG',
    })
  })

  it('shows an agent what concerns itself and those below it', async () => {
    const own = await world.tree.call('radar', {}, { as: 'gamma' })
    expect(own.pairs.map(({ a, b }: any) => [a, b])).toEqual([
      ['alpha', 'gamma'],
      ['beta', 'gamma'],
      ['gamma', 'main'],
    ])
    expect((await world.tree.call('radar', {}, { as: 'root' })).pairs).toHaveLength(6)
    expect(
      await world.tree.refusal('radar', { a: 'alpha', b: 'beta' }, { as: 'gamma' }),
    ).toMatchObject({
      code: 'NOT_A_CHILD',
    })
  })

  it('tells again only of more files, and that it is over to whoever knew', async () => {
    const before = said().length
    write('alpha', 'notes.txt', notesWith(1, 'ALPHA, otherwise'))
    await world.tree.repository.gitIn(
      at['alpha']!,
      'commit',
      '--quiet',
      '--all',
      '--message',
      'Mine',
    )
    expect(await between('alpha', 'beta')).toEqual({ status: 'conflict', files: ['notes.txt'] })
    expect(said()).toHaveLength(before)
    write('alpha', 'list.txt', notesWith(3, 'ALPHA'))
    write('beta', 'list.txt', notesWith(3, 'BETA'))
    expect(await between('alpha', 'beta')).toEqual({
      status: 'conflict',
      files: ['list.txt', 'notes.txt'],
    })
    expect(said()).toHaveLength(before + 3)
    // Once fewer, then as many: no news.
    write('beta', 'list.txt', RADAR_FILES['list.txt'])
    expect(await between('alpha', 'beta')).toEqual({ status: 'conflict', files: ['notes.txt'] })
    write('beta', 'list.txt', notesWith(3, 'BETA'))
    await pairs()
    expect(said()).toHaveLength(before + 3)
    write('beta', 'list.txt', RADAR_FILES['list.txt'])
    write('beta', 'notes.txt', RADAR_FILES['notes.txt'])
    expect(await between('alpha', 'beta')).toEqual({ status: 'clean', files: [] })
    expect(await conflicts()).toEqual({ alpha: [], beta: [], gamma: [] })
    // Beta alone was handed what was foretold; from the others it is withdrawn.
    expect(told('conflict.cleared', 'alpha')).toEqual(['beta'])
    expect(
      said().filter(({ kind, state }) => kind === 'conflict.foretold' && state === 'queued'),
    ).toEqual([])
  })

  it('says nothing is over to whoever was not told that it began again', async () => {
    const before = said().length
    write('alpha', 'notes.txt', notesWith(1, 'ALPHA again'))
    write('beta', 'notes.txt', notesWith(1, 'BETA again'))
    expect((await between('alpha', 'beta')).status).toBe('conflict')
    write('beta', 'notes.txt', RADAR_FILES['notes.txt'])
    expect((await between('alpha', 'beta')).status).toBe('clean')
    // Beta still waits to hear that the first one is over.
    expect(
      said()
        .slice(before)
        .map(({ kind, to, state }) => `${kind} ${to} ${state}`)
        .toSorted(),
    ).toEqual([
      'conflict.cleared beta queued',
      ...['alpha', 'beta', 'human'].map((to) => `conflict.foretold ${to} withdrawn`),
    ])
    await world.tree.call('send', { to: 'beta', message: 'And on.' })
    await world.tree.logged('beta', 'all of it', ({ text }) => /And on/.test(text ?? ''))
    write('beta', 'notes.txt', notesWith(1, 'BETA once more'))
    await pairs()
    write('beta', 'notes.txt', RADAR_FILES['notes.txt'])
    await pairs()
    expect(
      said()
        .slice(before + 4)
        .map(({ kind, state }) => `${kind} ${state}`),
    ).toEqual(Array.from({ length: 3 }, () => 'conflict.foretold withdrawn'))
  })

  it('goes on where what it wrote is broken or gone', async () => {
    write('alpha', 'list.txt', notesWith(2, 'ALPHA'))
    write('beta', 'list.txt', notesWith(2, 'BETA'))
    const conflict = { status: 'conflict', files: ['list.txt'] }
    expect(await between('alpha', 'beta')).toEqual(conflict)
    const objects = join(world.tree.state, 'radar/objects')
    const all = (): string[] =>
      readdirSync(objects, { recursive: true, encoding: 'utf8' })
        .filter((name) => /^..\/.{38}$/.test(name))
        .map((name) => join(objects, name))
    for (const file of all()) {
      chmodSync(file, 0o600)
      truncateSync(file, 5)
    }
    write('alpha', 'list.txt', notesWith(2, 'ALPHA, in a folder of broken objects'))
    expect(await between('alpha', 'beta')).toEqual(conflict)
    // A look at the end of a turn may write there meanwhile.
    rmSync(objects, { recursive: true, maxRetries: 10, retryDelay: 20 })
    write('alpha', 'list.txt', notesWith(2, 'ALPHA, in no folder'))
    expect(await between('alpha', 'beta')).toEqual(conflict)
    write('alpha', 'list.txt', notesWith(3, 'ALPHA'))
    write('beta', 'list.txt', RADAR_FILES['list.txt'])
    expect((await between('alpha', 'beta')).status).toBe('clean')
  })

  it('knows of renames, deletions, modes, links, folders and binary files', async () => {
    await spawn('delta', 'epsilon')
    const git = (name: string, ...args: string[]) => world.tree.repository.gitIn(at[name]!, ...args)
    const both = async () => between('delta', 'epsilon')
    await git('delta', 'mv', 'notes.txt', 'moved.txt')
    write('epsilon', 'notes.txt', notesWith(0, 'EPSILON'))
    expect(await both()).toEqual({ status: 'clean', files: [] })
    write('delta', 'moved.txt', notesWith(0, 'DELTA'))
    expect(await both()).toMatchObject({ status: 'conflict', files: ['moved.txt'] })
    const { pair } = await world.tree.call('radar', { a: 'delta', b: 'epsilon' })
    expect(pair.files).toMatchObject([
      {
        a: { change: 'renamed', new_path: 'moved.txt' },
        b: { change: 'modified', hunks: [{ text: ['-one', '+EPSILON'] }] },
      },
    ])
    await git('delta', 'reset', '--quiet', '--hard')
    rmSync(join(at['delta']!, 'notes.txt'))
    expect(await both()).toEqual({ status: 'conflict', files: ['notes.txt'] })
    await git('epsilon', 'checkout', '--quiet', '.')
    expect(await both()).toEqual({ status: 'clean', files: [] })
    write('delta', 'data.bin', '\0delta')
    write('epsilon', 'data.bin', '\0epsilon')
    chmodSync(join(at['delta']!, 'run.sh'), 0o755)
    write('epsilon', 'run.sh', 'y\n')
    expect(await both()).toEqual({ status: 'conflict', files: ['data.bin'] })
    rmSync(join(at['delta']!, 'data.bin'))
    write('delta', 'place', 'a file')
    mkdirSync(join(at['epsilon']!, 'place'))
    write('epsilon', 'place/inside', 'a folder')
    expect((await both()).status).toBe('conflict')
    await git('delta', 'clean', '-qfd')
    await git('delta', 'checkout', '--quiet', '.')
  })

  it('sees a base that moves, and not who is in the middle of a rebase', async () => {
    write('gamma', 'list.txt', notesWith(4, 'GAMMA'))
    await world.tree.repository.gitIn(at['gamma']!, 'add', '.')
    await world.tree.repository.gitIn(at['gamma']!, 'commit', '--quiet', '--message', 'Gamma')
    await world.tree.repository.commit({ 'list.txt': notesWith(4, 'MAIN') }, 'By hand')
    expect(await between('gamma', 'main')).toEqual({ status: 'conflict', files: ['list.txt'] })
    expect(told('conflict.foretold', 'conflicts with main')).toEqual([
      // Alpha changed the line above it.
      ...['alpha', 'gamma', 'human', 'human'],
    ])
    await world.tree.repository.gitIn(at['gamma']!, 'rebase', 'main').catch(() => '')
    expect(await between('gamma', 'main')).toEqual({ status: 'unknown', files: [] })
    expect((await world.tree.command(['radar', 'gamma', 'main'])).stdout).toContain(
      'gamma: it is in the middle of a rebase',
    )
    await world.tree.repository.gitIn(at['gamma']!, 'rebase', '--abort')
    expect((await between('gamma', 'main')).status).toBe('conflict')
    expect(told('conflict.foretold', 'conflicts with main')).toEqual([
      // Alpha changed the line above it.
      ...['alpha', 'gamma', 'human', 'human'],
    ])
  })

  it('looks by itself at the end of a turn', async () => {
    world.tree.script('zeta', {
      on: [{ match: 'BEGIN', steps: [{ do: 'write', path: 'run.sh', content: 'zeta\n' }] }],
    })
    await spawn('zeta')
    write('epsilon', 'run.sh', 'epsilon\n')
    await world.tree.call('send', { to: 'zeta', message: 'BEGIN' })
    const foretold = async () =>
      (await world.tree.events()).some(
        ({ type, payload }) => type === 'conflict.foretold' && payload.other === 'zeta',
      )
    await waitFor('what nobody asked for', foretold, { limit: 60_000 })
    // That may have been in the middle of its turn, after that of its start.
    await waitFor('its turn to end', async () => (await world.tree.agent('zeta')).state === 'idle')
  })

  it('leaves nothing in the repository, and looks at nobody who is gone or when it is off', async () => {
    const { repository } = world.tree
    const radar = join(world.tree.state, 'radar')
    const inRepository = async () => ({
      objects: await repository.git('count-objects', '-v'),
      refs: await repository.git('for-each-ref'),
      status: await repository.git('status', '--porcelain=v2', '--branch'),
    })
    const before = await inRepository()
    write('alpha', 'notes.txt', notesWith(2, 'a text that no other has'))
    await pairs()
    expect(await inRepository()).toEqual(before)
    await repository.git('fsck', '--strict')
    await repository.gitIn(at['beta']!, 'reset', '--quiet', '--hard')
    await world.tree.call('kill', { agent: 'beta' })
    expect((await world.tree.call('clean')).removed.map(({ agent }: any) => agent)).toEqual([
      'beta',
    ])
    expect((await pairs()).some(({ a, b }) => a === 'beta' || b === 'beta')).toBe(false)
    expect((await conflicts())['gamma']).toContain('main')
    expect(existsSync(radar)).toBe(true)
    const config = join(world.tree.repository.path, '.exomonad/config.toml')
    writeFileSync(
      config,
      readFileSync(config, 'utf8').replace('[radar]', '[radar]\nenabled = false'),
    )
    expect(await world.tree.refusal('radar')).toMatchObject({
      code: 'NOT_AVAILABLE',
      error: expect.stringContaining('The radar is off'),
    })
    expect(existsSync(radar)).toBe(false)
    expect((await conflicts())['gamma']).toEqual([])
  })
})
