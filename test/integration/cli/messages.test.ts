import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

async function start(options: ExomonadOptions = {}): Promise<Exomonad> {
  const tree = await startExomonad(options)
  onTestFinished(() => tree.stop())
  return tree
}

const IDLE = { steps: [] }

describe('the commands', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
  })
  afterAll(() => tree.stop())

  it('spawn from arguments, files and standard input; a bad task is reported and makes the exit code 1', async () => {
    for (const name of ['a', 'b', 'c', 'd-d']) tree.script(name, IDLE)
    const plan = await tree.command(['spawn', 'workers', 'a=do it', '--dry-run', '--json'])
    expect(plan.json).toMatchObject({
      planned: [{ name: 'a', branch: 'main.a', base: 'main' }],
      errors: [],
    })
    expect(await tree.agent('a')).toBeUndefined()
    expect((await tree.command(['spawn', 'subtree', 'a=do it'])).stdout).toMatch(
      /✓ a +main\.a +\.exomonad\/worktrees\/a/,
    )
    const tasks = join(tree.repository.folder, 'tasks.md')
    writeFileSync(tasks, '# b\nDo b.\n# c\nDo c.\n')
    expect(
      (await tree.run(['spawn', 'workers', '--file', tasks, '--json'])).json.spawned,
    ).toHaveLength(2)
    const mixed = await tree.run(['spawn', 'workers', '-', '--as', 'a'], {
      input: '{"D d": "x", "***": "y"}',
    })
    expect(mixed.code).toBe(1)
    expect(mixed.stdout).toContain('main.a.d-d')
    expect(mixed.stdout).toContain('✗ ***:')
    const drawn = (await tree.command(['tree'])).stdout
    for (const branch of ['├─ a ', '│  └─ d-d ', '├─ b ', '└─ c ']) expect(drawn).toContain(branch)
  })

  it('tree shows a part of it, by state, text, place and depth, and refuses what means nobody', async () => {
    const shown = async (...argv: string[]): Promise<string[]> => {
      const { root } = (await tree.command(['tree', ...argv, '--json'])).json
      const names = (node: any): string[] => [
        ...(node.matches ? [node.name] : []),
        ...node.children.flatMap(names),
      ]
      return names(root)
    }
    expect(await shown()).toEqual(['root', 'a', 'd-d', 'b', 'c'])
    expect(await shown('d-d')).toEqual(['d-d'])
    expect(await shown('--under', 'a')).toEqual(['a', 'd-d'])
    expect(await shown('--depth', '1', '--sort', 'name')).toEqual(['root', 'a', 'b', 'c'])
    expect(await shown('--state', 'failed', '--state', 'red')).toEqual([])
    expect(await shown('--needs-me')).toEqual([])
    const part = (await tree.command(['tree', 'd-d'])).stdout
    expect(part).toContain('1 of 4 agents')
    expect(part).toMatch(/├─|└─ d-d/)
    expect(part).not.toContain('─ b')
    expect(await tree.command(['tree', '--state', 'failed,stuck'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--state failed,stuck: expected one of live, spawning,'),
    })
    expect((await tree.command(['tree', '--under', 'nobody', '--json'])).json.code).toBe(
      'AGENT_NOT_FOUND',
    )
  })

  it('an end of a branch addresses an agent in every command, and several are named', async () => {
    tree.script('twin', IDLE)
    await tree.call('spawn_workers', { specs: [{ name: 'twin', prompt: 'x' }] }, { as: 'a' })
    await tree.call('spawn_workers', { specs: [{ name: 'twin', prompt: 'x' }] })
    for (const argv of [
      ['status', 'a.twin'],
      ['logs', 'a.twin'],
      ['send', 'a.twin', 'hello'],
      ['note', 'hello', '--as', 'a.twin'],
      ['events', '--agent', 'a.twin'],
      ['attach', 'a.twin', '--print'],
      ['tree', '--under', 'a.twin'],
    ])
      expect(await tree.command(argv), argv.join(' ')).toMatchObject({ code: 0 })
    expect((await tree.command(['tree'])).stdout).toContain('└─ a.twin ')
    const refused = await tree.command(['send', 'twin', 'hello'])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toContain('"twin" means 2 agents: main.a.twin, main.twin.')
    expect((await tree.command(['kill', 'main.twin', '--json'])).json.killed).toHaveLength(1)
    // The one that has ended loses to the one that lives.
    expect((await tree.command(['kill', 'twin'])).stdout).toContain('Killed twin')
    expect((await tree.call('agent_status', { agent_id: 'a.twin' })).status).toBe('killed')
  })

  it('talk: question, inbox, answer, note, send, logs', async () => {
    tree.script('w', {
      steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?', timeout: 60 } }],
    })
    await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    await waitFor(
      'the question in the inbox',
      async () => (await tree.command(['inbox', '--json'])).json.questions.length === 1,
    )
    expect((await tree.run(['inbox'])).stdout).toMatch(
      /^1 {2}question {2}w asks: Which colour\? {2}\S[^]*\nexomonad next shows/m,
    )
    expect((await tree.command(['next'])).stdout).toMatch(
      /^w asks: Which colour\?\n\nWhat settles it:\n {2}exomonad answer w "…" --question q-/m,
    )
    expect((await tree.command(['answer', 'w', 'blue', '--json'])).json.status).toMatch(
      /delivered|queued/,
    )
    expect((await tree.command(['answer', 'w', 'blue', '--json'])).json.code).toBe(
      'NO_PENDING_QUESTION',
    )
    expect((await tree.command(['send', 'w', 'hello', 'there', '--json'])).json.status).toBe('sent')
    // Once it has come.
    await waitFor('the answer to be reported', async () =>
      (await tree.command(['events', '--type', 'question.answered'])).stdout.includes(
        'answered: blue',
      ),
    )
    expect((await tree.command(['logs', 'w', '--json'])).json.live).toBe(true)
    expect((await tree.command(['logs', 'nobody', '--json'])).json.code).toBe('AGENT_NOT_FOUND')
  })

  it('follow events until interrupted, in words or a document per line', async () => {
    const lines = await tree.run(['events', '--json', '--since', '1h'])
    expect(lines.json.map((event: { type: string }) => event.type)).toContain('tree.initialized')
    expect((await tree.command(['events', '--last', '1', '--json'])).json).toHaveLength(1)
    expect((await tree.command(['events', '--since', 'never'])).code).toBe(2)
    for (const more of [[], ['--follow'], ['--json']])
      expect(await tree.command(['events', '--type', 'nots', ...more])).toMatchObject({
        code: 1,
        stderr: expect.stringContaining('did you mean note?'),
      })
  })

  it('check the configuration with every finding, and say what is trusted', async () => {
    expect((await tree.command(['config', 'check', '--json'])).json).toMatchObject({
      ok: true,
      findings: [],
      trusted: true,
    })
    const file = join(tree.repository.folder, 'bad.toml')
    writeFileSync(file, '[limits]\nmax_tree_dept = 1\n[log]\nlevel = "loud"\n')
    const result = await tree.run(['config', 'check', file])
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(
      /line 2 +limits\.max_tree_dept unknown key; did you mean "max_tree_depth"\?/,
    )
    expect(result.stdout).toMatch(/line 4 +log\.level found "loud" \(a string\); allowed: "trace"/)
  })

  it('name one’s own template that does not work, in config check and doctor; one that is silent is none', async () => {
    const folder = join(tree.repository.path, '.exomonad', 'templates')
    mkdirSync(folder, { recursive: true })
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(join(folder, 'note.liquid'), 'Note:\n{{ name | upercase }}')
    const broken = await tree.command(['config', 'check'])
    expect(broken).toMatchObject({
      code: 1,
      stdout: expect.stringMatching(/line 2 +templates\/note\.liquid undefined filter: upercase/),
    })
    const sick = (await tree.command(['doctor', '--json'])).json
    expect(sick).toMatchObject({
      ok: false,
      findings: expect.arrayContaining([
        expect.objectContaining({ subject: 'templates', status: 'problem' }),
      ]),
    })
    writeFileSync(join(folder, 'note.liquid'), '')
    expect((await tree.command(['config', 'check', '--json'])).json).toMatchObject({
      ok: true,
      findings: [],
    })
  })
})

describe('exomonad hook', () => {
  it('answers the stop check, fails open, and spools what a stopped daemon could not receive', async () => {
    const tree = await start()
    tree.script('w', { steps: [], stop: false })
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    const spool = join(tree.state, 'spool')
    const env = {
      EXOMONAD_AGENT_ID: spawned[0].agent_id,
      EXOMONAD_AUTH_FILE: join(tree.state, 'auth', spawned[0].agent_id),
      EXOMONAD_SPOOL: spool,
    }
    writeFileSync(join(spawned[0].worktree, 'unsaved.txt'), 'x')
    const stop = await tree.run(['hook', 'stop'], {
      cwd: spawned[0].worktree,
      env,
      input: '{"session_id":"s"}',
    })
    expect(stop).toMatchObject({ code: 0, json: { decision: 'block' } })
    expect(stop.json.reason).toContain('unsaved.txt')
    await tree.command(['daemon', 'stop'])
    const spooled = await tree.run(['hook', 'stop'], { cwd: spawned[0].worktree, env })
    expect(spooled).toMatchObject({ code: 0, json: { decision: 'allow' } })
    expect(spooled.stderr).toContain('waits in the spool')
    expect(readdirSync(spool)).toHaveLength(1)
    expect(
      await tree.run(['hook', 'prompt'], {
        cwd: spawned[0].worktree,
        env: { EXOMONAD_AGENT_ID: 'x' },
      }),
    ).toMatchObject({ code: 0, stdout: '' })
    await tree.command(['daemon', 'start'])
    await waitFor('the spool to be read', () => readdirSync(spool).length === 0)
  })
})

describe('exomonad doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const tree = await start()
    // A daemon that is too busy to answer within a moment is a problem.
    const result = await waitFor('the daemon to answer', async () => {
      const said = await tree.command(['doctor', '--json'])
      return !JSON.stringify(said.json).includes('it may be busy') && said
    })
    expect(
      result.json.findings.filter((finding: { status: string }) => finding.status === 'problem'),
    ).toEqual([])
    expect(result).toMatchObject({ code: 0, json: { ok: true } })
  })

  it('names each trouble with its fix, and fixes what is safe', async () => {
    const tree = await start()
    tree.script('w', IDLE)
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    await tree.command(['kill', 'w'])
    await tree.crash()
    chmodSync(tree.state, 0o755)
    rmSync(spawned[0].worktree, { recursive: true })
    const sick = await tree.command(['doctor', '--json'])
    const subjects = sick.json.findings
      .filter((finding: { fix?: string }) => finding.fix !== undefined)
      .map((finding: { subject: string }) => finding.subject)
    expect(subjects).toEqual(expect.arrayContaining(['permissions', 'daemon', 'worktrees']))
    expect(sick.code).toBe(1)
    const fixed = await tree.command(['doctor', '--fix', '--json'])
    expect(fixed.json.fixed.map((one: { subject: string }) => one.subject)).toEqual(
      expect.arrayContaining(['permissions', 'daemon', 'worktrees']),
    )
    expect(fixed.code).toBe(0)
    expect(statSync(tree.state).mode & 0o777).toBe(0o700)
    expect(await tree.repository.git('worktree', 'list')).not.toContain('prunable')
    expect(await tree.repository.git('branch', '--list', 'main.w')).toContain('main.w')
  })

  it('says outside of a repository what the machine lacks', async () => {
    const tree = await start({ init: false })
    const bin = join(tree.repository.folder, 'bin')
    mkdirSync(bin)
    for (const tool of ['git', 'sh'])
      symlinkSync(spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim(), join(bin, tool))
    const result = await tree.run(['doctor', '--json'], {
      cwd: tree.repository.folder,
      env: { PATH: bin },
    })
    const found = Object.fromEntries(
      result.json.findings.map((finding: { subject: string; status: string }) => [
        finding.subject,
        finding.status,
      ]),
    )
    expect(found).toMatchObject({
      node: 'ok',
      git: 'ok',
      sh: 'ok',
      curl: 'warning',
      tmux: 'warning',
      repository: 'note',
    })
  })
})
