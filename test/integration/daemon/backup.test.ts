import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endTerminals, runProgram, startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** `exomonad backup` and `restore`: a whole tree in one file, brought back into a fresh clone. */
describe('a backup of a tree', () => {
  let tree: Exomonad
  let file: string
  /** A clone on which nothing was set up. */
  let clone: string
  let before: Shape[]

  interface Shape {
    id: string
    name: string
    branch: string
    pr: unknown
    children: Shape[]
  }
  const shape = (node: any): Shape[] => [
    { id: node.id, name: node.name, branch: node.branch, pr: node.pr?.number ?? null },
    ...node.children.flatMap(shape),
  ]
  const inClone = (...args: string[]) => tree.run(args, { cwd: clone })
  const callInClone = async (tool: string, input: unknown = {}): Promise<any> => {
    const { code, json, stdout, stderr } = await tree.command(['call', tool, '-'], {
      cwd: clone,
      input: JSON.stringify(input),
    })
    if (code !== 0) throw new Error(`call ${tool}: ${stdout}${stderr}`)
    return json
  }
  const git = (cwd: string, ...args: string[]) => tree.repository.gitIn(cwd, ...args)
  const stateOf = (path: string): string => join(path, '.git', 'exomonad')

  /** A PATH in which this program stops where its arguments match; `at` is there then. */
  const stopping = (
    program: 'git' | 'tar',
    match: string,
  ): { env: Record<string, string>; at: string } => {
    const folder = join(tree.repository.folder, `stop-${match.replaceAll(/\W/g, '-')}`)
    const at = join(folder, 'at')
    mkdirSync(folder, { recursive: true })
    rmSync(at, { force: true })
    const real = (process.env['PATH'] ?? '')
      .split(':')
      .map((one) => join(one, program))
      .find((path) => existsSync(path))
    writeFileSync(
      join(folder, program),
      `#!/bin/sh\ncase "$*" in *${JSON.stringify(match)}*) : >${at}; exec sleep 600;; esac\nexec ${real ?? ''} "$@"\n`,
    )
    chmodSync(join(folder, program), 0o755)
    return { at, env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` } }
  }
  /** Runs the command line until that program is there, and kills it with all that it started. */
  const killedAt = async (
    [program, match]: ['git' | 'tar', string],
    args: string[],
    cwd: string,
  ): Promise<void> => {
    const { at, env } = stopping(program, match)
    const child = spawn(process.execPath, [BIN, ...args], {
      cwd,
      env: { ...tree.repository.env, ...env },
      stdio: 'ignore',
      detached: true,
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    await waitFor(`${program} ${match}`, () => existsSync(at))
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await ended
  }

  beforeAll(async () => {
    tree = await startExomonad({ files: { 'README.md': '# A repository\n', 'gone.txt': 'x\n' } })
    file = join(tree.repository.folder, 'tree.tar.gz')
    clone = join(tree.repository.folder, 'clone')
    const pull = (name: string) => [
      { do: 'write', path: `${name}.txt`, content: name },
      { do: 'commit', message: `Add ${name}` },
      { do: 'tool', name: 'file_pr', input: { title: `Add ${name}`, body: 'It was missing.' } },
    ]
    tree.script('filed', { steps: pull('filed') })
    tree.script('landed', { steps: pull('landed') })
    tree.script('writer', {
      steps: [
        { do: 'write', path: 'README.md', content: 'changed\n' },
        { do: 'write', path: 'new/file.txt', content: 'new\n' },
        { do: 'sh', command: 'rm gone.txt' },
        {
          do: 'tool',
          name: 'send',
          input: { to: '${env.EXOMONAD_PARENT_ID}', message: 'a word before' },
        },
        { do: 'tool', name: 'question', input: { message: 'which one?', timeout: 0 } },
      ],
      stop: false,
    })
    await tree.call('spawn_workers', {
      specs: ['filed', 'landed', 'writer'].map((name) => ({ name, prompt: `Do ${name}` })),
    })
    for (const name of ['filed', 'landed'])
      await tree.logged(name, 'its stop', ({ kind }) => kind === 'stop')
    await tree.logged('writer', 'its question', ({ name }) => name === 'question')
    const { pull_requests: pulls } = await tree.call('pr_list')
    await tree.call('merge_pr', {
      pr_number: pulls.find(({ title }: { title: string }) => title === 'Add landed').number,
    })
    await tree.call('send', { to: 'filed', message: 'one more thing' })
    const { at } = await tree.logged('filed', 'its message', ({ text }) =>
      String(text).includes('one more'),
    )
    // The stop that follows brings its branch up to date with what was merged, and pushes it.
    await tree.logged(
      'filed',
      'its rest',
      (entry) =>
        entry['kind'] === 'stop' && entry['at'] >= at && entry['answer']?.decision === 'allow',
    )
    before = shape((await tree.tree()).root)
  })
  afterAll(async () => {
    if (existsSync(stateOf(clone))) {
      await inClone('down')
      await endTerminals(join(clone, '.git'), tree.repository.env)
    }
    await tree?.stop()
  })

  it('is made while everything runs, whole or not at all', async () => {
    await killedAt(['git', 'bundle create'], ['backup', file], tree.repository.path)
    await killedAt(['tar', '-czf'], ['backup', file], tree.repository.path)
    expect(existsSync(file)).toBe(false)
    const refs = await tree.repository.git('for-each-ref')
    const made = await tree.command(['backup', file, '--json'])
    expect(made.json).toMatchObject({ file, uncommitted: [expect.stringContaining('writer')] })
    // What was cut off lies nowhere any more, and the repository has no reference to any of it.
    const left = [...readdirSync(tree.state), ...readdirSync(tree.repository.folder)]
    expect(left.filter((name) => /^backing-up|\.part/.test(name))).toEqual([])
    expect(await tree.repository.git('for-each-ref')).toBe(refs)
    expect(await tree.command(['backup', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/there already.*--force/),
    })
  })

  it('has no secrets', async () => {
    const folder = join(tree.repository.folder, 'unpacked')
    mkdirSync(folder)
    await runProgram('tar', ['-xzf', file, '-C', folder], { env: tree.repository.env })
    const tokens = readdirSync(join(tree.state, 'auth')).length
    expect(tokens).toBeGreaterThan(0)
    expect(readdirSync(folder).toSorted()).toEqual(
      expect.arrayContaining(['config', 'exomonad-backup.json', 'repository.bundle', 'store.db']),
    )
    expect(readdirSync(folder)).not.toContain('auth')
    rmSync(folder, { recursive: true })
  })

  it('is refused where its agents still run, where it does not fit, and where there is a tree', async () => {
    await git(tree.repository.folder, 'clone', '-q', '--single-branch', tree.repository.path, clone)
    expect(await inClone('restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/still run on this machine.*exomonad down/s),
    })
    expect(existsSync(join(stateOf(clone), 'store.db'))).toBe(false)
    expect(await tree.command(['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/daemon runs here/),
    })
    await tree.command(['down'])
    expect(await tree.command(['restore', file])).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/a tree here already, with 4 agents.*--force/),
    })
    writeFileSync(join(tree.repository.folder, 'other'), 'no archive')
    expect(await inClone('restore', '../other')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/can’t be unpacked/),
    })
    await git(clone, 'switch', '-q', '-c', 'elsewhere')
    expect(await inClone('restore', file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/grows from main.*git switch main/),
    })
    await git(clone, 'switch', '-q', 'main')
  })

  it('is brought back after kills in the middle, and no daemon begins on half of it', async () => {
    for (const match of ['fetch', 'worktree add', 'restore --source']) {
      await killedAt(['git', match], ['restore', file], clone)
      expect(await inClone('daemon', 'start')).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/restore from a backup is under way, or was cut off/),
      })
    }
    // As far as git had come with what was not committed.
    writeFileSync(join(clone, '.exomonad', 'worktrees', 'writer', 'README.md'), 'changed\n')
    const restored = await inClone('restore', file, '--json')
    expect([restored.code, restored.json]).toMatchObject([
      0,
      {
        agents: 3,
        beside: [],
        lacking: [],
        config: null,
        uncommitted: [expect.stringContaining('writer')],
      },
    ])
    expect(existsSync(join(stateOf(clone), 'restoring'))).toBe(false)
    expect(await git(clone, 'for-each-ref', 'refs/exomonad/restoring')).toBe('')
  })

  it('has the same tree, pull requests, mail, questions and uncommitted work', async () => {
    expect(shape((await callInClone('tree')).root)).toEqual(before)
    const { pull_requests: pulls } = await callInClone('pr_list', { state: 'all' })
    expect(pulls.map(({ title, state }: any) => `${title}: ${state}`).toSorted()).toEqual([
      'Add filed: open',
      'Add landed: merged',
    ])
    const inbox = JSON.stringify(await callInClone('inbox'))
    expect(inbox).toContain('a word before')
    expect(inbox).toContain('writer asks: which one?')
    const [writer] = (await callInClone('tree')).root.children.filter(
      ({ name }: { name: string }) => name === 'writer',
    )
    expect(writer).toMatchObject({
      worktree: join(clone, '.exomonad', 'worktrees', 'writer'),
      state_reason: 'stopped',
      pid: null,
    })
    const status = await git(writer.worktree, 'status', '--porcelain', '-uall')
    expect(status.split('\n')).toEqual([' M README.md', ' D gone.txt', '?? new/file.txt'])
    expect((await inClone('doctor', '--json')).json).toMatchObject({ ok: true })
  })

  it('goes on: agents are resumed, and their work lands', async () => {
    tree.script('filed', {})
    const starts = tree.log('filed').filter(({ kind }) => kind === 'started').length
    const resumed = await callInClone('resume', {})
    expect(resumed.errors).toEqual([])
    await waitFor('a program in the clone', () =>
      tree
        .log('filed')
        .filter(({ kind }) => kind === 'started')
        .slice(starts)
        .some(({ cwd }) => cwd.startsWith(clone)),
    )
    const { pull_requests: pulls } = await callInClone('pr_list')
    const merged = await callInClone('merge_pr', { pr_number: pulls[0].number })
    expect(merged).toMatchObject({ merged: true, local_synced: true })
    expect(existsSync(join(clone, 'filed.txt'))).toBe(true)
  })

  it('takes the place of a tree with --force, beside what went another way', async () => {
    await inClone('down')
    const restored = await inClone('restore', '--force', file, '--json')
    expect(restored.json).toMatchObject({
      agents: 3,
      kept: expect.stringContaining('lost-'),
      made: [],
    })
    // The branches here are ahead of the backup’s, and stay.
    expect(existsSync(join(clone, 'filed.txt'))).toBe(true)
    expect(shape((await callInClone('tree')).root).map(({ id }) => id)).toEqual(
      before.map(({ id }) => id),
    )
  })
})
