import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { BIN, startExomonad, type Exomonad, type ExomonadOptions } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'

async function start(options: ExomonadOptions = {}): Promise<Exomonad> {
  const tree = await startExomonad(options)
  onTestFinished(() => tree.stop())
  return tree
}

const IDLE = { steps: [] }

describe('the daemon’s commands', () => {
  it('start once, whoever asks and however often, and tell the truth', async () => {
    const tree = await start()
    const pid = await tree.daemonPid()
    expect((await tree.run(['daemon', 'start', '--json'])).json).toMatchObject({ running: true, started: false, pid })
    expect((await tree.run(['daemon', 'stop', '--json'])).json).toEqual({ stopped: true, pid })
    expect((await tree.run(['daemon', 'stop', '--json'])).json).toEqual({ stopped: false, pid: null })
    expect(await tree.run(['daemon', 'status', '--json'])).toMatchObject({ code: 1, json: { running: false } })
    const starts = await Promise.all(Array.from({ length: 4 }, () => tree.run(['daemon', 'start', '--json'])))
    expect(new Set(starts.map((result) => result.json.pid)).size).toBe(1)
    expect(starts.map((result) => result.code)).toEqual([0, 0, 0, 0])
    expect((await tree.run(['daemon', 'logs', '-n', '5'])).stdout).toContain('ready')
  })

  it('tell one that does not answer just now from one that is not there', async () => {
    const tree = await start()
    const pid = await tree.daemonPid()
    process.kill(pid, 'SIGSTOP')
    expect(await tree.run(['daemon', 'status', '--json'])).toMatchObject({ code: 1, json: { running: true, pid: null } })
    expect((await tree.run(['daemon', 'status'])).stdout).toContain('does not answer')
    const stopping = tree.run(['daemon', 'stop', '--json'])
    expect((await tree.run(['ps', '--json'])).json.repositories).toMatchObject([{ state: 'silent', pid }])
    const { findings } = (await tree.run(['doctor', '--fix', '--json'])).json
    expect(findings).toContainEqual(expect.objectContaining({ subject: 'daemon', status: 'problem', found: expect.stringContaining('does not answer') }))
    process.kill(pid, 'SIGCONT')
    expect(await stopping).toMatchObject({ code: 0, json: { stopped: true, pid } })
  })

  it('say why it doesn’t start', async () => {
    const tree = await start()
    await tree.run(['daemon', 'stop'])
    writeFileSync(join(tree.repository.path, '.exomonad', 'config.toml'), '[limts]\n')
    const result = await tree.run(['daemon', 'start', '--json'])
    expect(result).toMatchObject({ code: 1, json: { code: 'CONFIG_INVALID' } })
    expect(result.stderr).toContain('did you mean "limits"?')
  })

  it('list the daemons of all repositories', async () => {
    const tree = await start()
    expect((await tree.run(['ps', '--json'])).json.repositories).toMatchObject([{ repository: tree.repository.path, state: 'running', agents: { agents: 0 } }])
    await tree.run(['daemon', 'stop'])
    expect((await tree.run(['ps', '--json'])).json.repositories).toMatchObject([{ repository: tree.repository.path, state: 'stopped', pid: null }])
    expect((await tree.run(['ps'], { cwd: '/' })).stdout).toContain('○ stopped')
    await tree.run(['down'])
    renameSync(tree.repository.path, `${tree.repository.path}-away`)
    expect((await tree.run(['ps', '--json'], { cwd: '/' })).json.repositories).toMatchObject([{ state: 'gone' }])
    expect((await tree.run(['ps', '--prune', '--json'], { cwd: '/' })).json.repositories).toEqual([])
    renameSync(`${tree.repository.path}-away`, tree.repository.path)
  })
})

describe('who one is', () => {
  it('is decided by token and place: an agent never becomes the owner', async () => {
    const tree = await start()
    tree.script('w', IDLE)
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    const worktree: string = spawned[0].worktree
    const inside = await tree.run(['tree', '--json'], { cwd: worktree })
    expect(inside).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    const withId = await tree.run(['tree', '--json'], { env: { EXOMONAD_AGENT_ID: spawned[0].agent_id } })
    expect(withId).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    for (const argv of [['init'], ['daemon', 'stop'], ['trust'], ['down'], ['deinit'], ['ps']]) {
      expect(await tree.run([...argv, '--json'], { cwd: worktree, env: { EXOMONAD_AGENT_ID: 'x', EXOMONAD_TOKEN: 'y' } }), argv.join(' ')).toMatchObject({
        code: 1,
        json: { code: 'NOT_ALLOWED' },
      })
    }
    const forged = await tree.run(['tree', '--json'], { env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_TOKEN: 'forged' } })
    expect(forged).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    const token = join(tree.state, 'auth', spawned[0].agent_id)
    const agent = await tree.run(['note', 'from a file of mine', '--json'], {
      cwd: worktree,
      env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_AUTH_FILE: token },
    })
    expect(agent).toMatchObject({ code: 0, json: { status: 'sent' } })
    const asAnother = await tree.run(['tree', '--as', 'root', '--json'], { env: { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_AUTH_FILE: token } })
    expect(asAnother).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
  })

  it('is an agent’s in an adopted worktree too, wherever that lies', async () => {
    const tree = await start()
    const elsewhere = join(tree.repository.folder, 'elsewhere')
    await tree.repository.git('worktree', 'add', '-q', '-b', 'old/work', elsewhere)
    expect((await tree.run(['tree', '--json'], { cwd: elsewhere })).code).toBe(0)
    tree.script('rescue', IDLE)
    expect((await tree.run(['spawn', 'workers', 'rescue=go on', '--branch', 'old/work', '--json'])).json).toMatchObject({
      errors: [],
      spawned: [{ worktree: elsewhere }],
    })
    expect(await tree.run(['tree', '--json'], { cwd: elsewhere })).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
  })
})

describe('the commands', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
  })
  afterAll(() => tree.stop())

  it('spawn from arguments, files and standard input; a bad task is told and makes the exit code 1', async () => {
    for (const name of ['a', 'b', 'c', 'd-d']) tree.script(name, IDLE)
    const plan = await tree.run(['spawn', 'workers', 'a=do it', '--dry-run', '--json'])
    expect(plan.json).toMatchObject({ planned: [{ name: 'a', branch: 'main.a', base: 'main' }], errors: [] })
    expect(await tree.agent('a')).toBeUndefined()
    expect((await tree.run(['spawn', 'subtree', 'a=do it'])).stdout).toMatch(/✓ a +main\.a +\.exomonad\/worktrees\/a/)
    const tasks = join(tree.repository.folder, 'tasks.md')
    writeFileSync(tasks, '# b\nDo b.\n# c\nDo c.\n')
    expect((await tree.run(['spawn', 'workers', '--file', tasks, '--json'])).json.spawned).toHaveLength(2)
    const mixed = await tree.run(['spawn', 'workers', '-', '--as', 'a'], { input: '{"D d": "x", "***": "y"}' })
    expect(mixed.code).toBe(1)
    expect(mixed.stdout).toContain('main.a.d-d')
    expect(mixed.stdout).toContain('✗ ***:')
    const drawn = (await tree.run(['tree'])).stdout
    for (const branch of ['├─ .a', '│  └─ .d-d', '├─ .b', '└─ .c']) expect(drawn).toContain(branch)
  })

  it('talk: question, inbox, answer, note, send, logs', async () => {
    tree.script('w', { steps: [{ do: 'tool', name: 'question', input: { message: 'Which colour?', timeout: 60 } }] })
    await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    await waitFor('the question in the inbox', async () => (await tree.run(['inbox', '--json'])).json.questions.length === 1)
    expect((await tree.run(['inbox'])).stdout).toMatch(/\? question from w .*\n {2}Which colour\?\n {2}exomonad answer w "…" --question q-/)
    expect((await tree.run(['answer', 'w', 'blue', '--json'])).json.status).toMatch(/delivered|queued/)
    expect((await tree.run(['answer', 'w', 'blue', '--json'])).json.code).toBe('NO_PENDING_QUESTION')
    expect((await tree.run(['send', 'w', 'hello', 'there', '--json'])).json.status).toBe('sent')
    expect((await tree.run(['events', '--type', 'question.answered'])).stdout).toContain('answered: blue')
    expect((await tree.run(['logs', 'w', '--json'])).json.live).toBe(true)
    expect((await tree.run(['logs', 'nobody', '--json'])).json.code).toBe('AGENT_NOT_FOUND')
  })

  it('follow events until interrupted, in words or a document per line', async () => {
    const lines = await tree.run(['events', '--json', '--since', '1h'])
    expect(lines.json.map((event: { type: string }) => event.type)).toContain('tree.initialized')
    expect((await tree.run(['events', '--last', '1', '--json'])).json).toHaveLength(1)
    expect((await tree.run(['events', '--since', 'never'])).code).toBe(2)
  })

  it('check the configuration with every finding, and say what is trusted', async () => {
    expect((await tree.run(['config', 'check', '--json'])).json).toMatchObject({ ok: true, findings: [], trusted: true })
    const file = join(tree.repository.folder, 'bad.toml')
    writeFileSync(file, '[limits]\nmax_tree_dept = 1\n[log]\nlevel = "loud"\n')
    const result = await tree.run(['config', 'check', file])
    expect(result.code).toBe(1)
    expect(result.stdout).toMatch(/line 2 +limits\.max_tree_dept unknown key; did you mean "max_tree_depth"\?/)
    expect(result.stdout).toMatch(/line 4 +log\.level found "loud" \(a string\); allowed: "trace"/)
  })
})

describe('exomonad hook', () => {
  it('answers the stop check, fails open, and spools what a stopped daemon could not hear', async () => {
    const tree = await start()
    tree.script('w', { steps: [], stop: false })
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    const spool = join(tree.state, 'spool')
    const env = { EXOMONAD_AGENT_ID: spawned[0].agent_id, EXOMONAD_AUTH_FILE: join(tree.state, 'auth', spawned[0].agent_id), EXOMONAD_SPOOL: spool }
    writeFileSync(join(spawned[0].worktree, 'unsaved.txt'), 'x')
    const stop = await tree.run(['hook', 'stop'], { cwd: spawned[0].worktree, env, input: '{"session_id":"s"}' })
    expect(stop).toMatchObject({ code: 0, json: { decision: 'block' } })
    expect(stop.json.reason).toContain('unsaved.txt')
    await tree.run(['daemon', 'stop'])
    const spooled = await tree.run(['hook', 'stop'], { cwd: spawned[0].worktree, env })
    expect(spooled).toMatchObject({ code: 0, json: { decision: 'allow' } })
    expect(spooled.stderr).toContain('waits in the spool')
    expect(readdirSync(spool)).toHaveLength(1)
    expect(await tree.run(['hook', 'prompt'], { cwd: spawned[0].worktree, env: { EXOMONAD_AGENT_ID: 'x' } })).toMatchObject({ code: 0, stdout: '' })
    await tree.run(['daemon', 'start'])
    await waitFor('the spool to be read', () => readdirSync(spool).length === 0)
  })
})

describe('exomonad doctor', () => {
  it('finds nothing wrong where nothing is', async () => {
    const tree = await start()
    const result = await tree.run(['doctor', '--json'])
    expect(result.json.findings.filter((finding: { status: string }) => finding.status === 'problem')).toEqual([])
    expect(result).toMatchObject({ code: 0, json: { ok: true } })
  })

  it('names each trouble with its fix, and mends what is safe', async () => {
    const tree = await start()
    tree.script('w', IDLE)
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] })
    await tree.run(['kill', 'w'])
    await tree.crash()
    chmodSync(tree.state, 0o755)
    rmSync(spawned[0].worktree, { recursive: true })
    const sick = await tree.run(['doctor', '--json'])
    const subjects = sick.json.findings.filter((finding: { fix?: string }) => finding.fix !== undefined).map((finding: { subject: string }) => finding.subject)
    expect(subjects).toEqual(expect.arrayContaining(['permissions', 'daemon', 'worktrees']))
    expect(sick.code).toBe(1)
    const mended = await tree.run(['doctor', '--fix', '--json'])
    expect(mended.json.fixed.map((one: { subject: string }) => one.subject)).toEqual(expect.arrayContaining(['permissions', 'daemon', 'worktrees']))
    expect(mended.code).toBe(0)
    expect(statSync(tree.state).mode & 0o777).toBe(0o700)
    expect(await tree.repository.git('worktree', 'list')).not.toContain('prunable')
    expect(await tree.repository.git('branch', '--list', 'main.w')).toContain('main.w')
  })

  it('says outside of a repository what the machine lacks', async () => {
    const tree = await start({ init: false })
    const bin = join(tree.repository.folder, 'bin')
    mkdirSync(bin)
    for (const tool of ['git', 'sh']) symlinkSync(spawnSync('which', [tool], { encoding: 'utf8' }).stdout.trim(), join(bin, tool))
    const result = await tree.run(['doctor', '--json'], { cwd: tree.repository.folder, env: { PATH: bin } })
    const found = Object.fromEntries(result.json.findings.map((finding: { subject: string; status: string }) => [finding.subject, finding.status]))
    expect(found).toMatchObject({ node: 'ok', git: 'ok', sh: 'ok', curl: 'warning', tmux: 'warning', repository: 'note' })
  })
})

describe('completion', () => {
  it('in bash offers commands, options, choices, and the tree’s agents', async () => {
    const tree = await start()
    tree.script('zebra', IDLE)
    await tree.call('spawn_workers', { specs: [{ name: 'zebra', prompt: 'x' }] })
    const bin = join(tree.repository.folder, 'bin')
    mkdirSync(bin)
    writeFileSync(join(bin, 'exomonad'), `#!/bin/sh\nexec '${process.execPath}' '${BIN}' "$@"\n`, { mode: 0o755 })
    const script = (await tree.run(['completion', 'bash'])).stdout
    const complete = (...words: string[]): string[] => {
      const program = `${script}\nCOMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _exomonad; printf '%s\\n' "\${COMPREPLY[@]}"`
      const result = spawnSync('bash', ['-c', program, 'bash', 'exomonad', ...words], {
        encoding: 'utf8',
        cwd: tree.repository.path,
        env: { ...tree.repository.env, PATH: `${bin}:${tree.repository.env['PATH']}` },
      })
      expect(result.stderr).toBe('')
      return result.stdout.split('\n').filter((line) => line !== '')
    }
    // A busy daemon is not waited for: whoever presses Tab once more has it.
    const completes = (words: string[], to: string[]): Promise<boolean> =>
      waitFor(`${words.join(' ')} to be completed`, () => complete(...words).join() === to.join())
    expect(complete('tr')).toEqual(['trust', 'tree'])
    expect(complete('tree', '--w')).toEqual(['--watch'])
    expect(complete('pr', '')).toEqual(['list', 'show', 'diff', 'checks', 'file', 'merge', 'review'])
    expect(complete('pr', 'list', '--state', 'm')).toEqual(['merged'])
    await completes(['kill', 'z'], ['zebra'])
    await completes(['--as', 'ze'], ['zebra'])
    expect(complete('call', 'merge')).toEqual(['merge_pr'])
    expect(complete('up', '--agent', 'c')).toEqual(['claude', 'codex'])
    // As Bash splits it, which puts back what stands before the colon.
    expect(complete('spawn', 'workers', '-a', 'acp', ':', 'c')).toEqual(['claude-agent-acp', 'codex-acp'])
    expect(complete('spawn', 'workers', '-a', 'acp', ':')).toContain('gemini')
    expect(complete('subagent', 'delegate', '--server', 'o')).toEqual(['opencode'])
    expect(complete('subagent', 'delegate', '--agent', '')).toEqual([])
    await completes(['events', '--agent', 'ze'], ['zebra'])
    expect(complete('nonsense', '')).toEqual([])
  })

  it.each(['zsh', 'fish'])('is valid %s, where that is installed', async (shell) => {
    const tree = await start({ init: false })
    const script = await tree.run(['completion', shell])
    expect(script.stdout).toContain('exomonad __complete -- ')
    const file = join(tree.repository.folder, `completion.${shell}`)
    writeFileSync(file, script.stdout)
    const checked = spawnSync(shell, ['-n', file], { encoding: 'utf8' })
    if (checked.error === undefined) expect(checked).toMatchObject({ status: 0, stderr: '' })
    expect(existsSync(file)).toBe(true)
  })
})
