import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import process from 'node:process'
import { spawn as spawnTerminal } from '@lydell/node-pty'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { repositoryHash } from '../../../src/runtime/paths.ts'
import { openConsole } from '../../helpers/console.ts'
import { runProgram, startExomonad, type Exomonad, type RunOptions } from '../../helpers/daemon.ts'
import { runBlocks } from '../../helpers/doc-blocks.ts'
import { BIN } from '../../helpers/programs.ts'
import { describeWithSshd, startSshMachine, type SshMachine } from '../../helpers/ssh-machine.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** A cut is to be said within 5 s; this is for a machine with much else to do. Milliseconds. */
const LIMIT = 60_000

describeWithSshd('a person elsewhere', () => {
  let tree: Exomonad
  let machine: SshMachine
  let far = ''
  beforeAll(async () => {
    // The set-up of `slow` lasts until it is let go.
    tree = await startExomonad({
      name: "it's my app",
      config: `[worktree]\nsetup = [["sh", "-c", "case $PWD in *slow*) touch ../../../../began; until [ -e ../../../../go ]; do sleep 0.1; done;; esac"]]\n`,
    })
    machine = await startSshMachine(tree.repository.env)
    far = `far:${tree.repository.path}`
    for (const name of ['auth', 'search']) tree.script(name, { steps: [] })
    await tree.call('spawn_workers', { specs: [{ name: 'auth', prompt: 'x' }] })
    // Before that it is said to be at work.
    await waitFor('it to rest', async () => (await tree.agent('auth')).state === 'idle')
  })
  afterAll(async () => {
    await machine?.close()
    await tree?.stop()
  })

  const exomonad = (args: readonly string[], options: RunOptions = {}) =>
    runProgram(process.execPath, [BIN, ...args], {
      cwd: machine.folder,
      ...options,
      env: { ...machine.env, ...options.env },
    })
  const run = (args: readonly string[], options?: RunOptions) =>
    exomonad(['--host', far, ...args], options)

  interface Running {
    readonly child: ChildProcess
    out(): string
    err(): string
    readonly ended: Promise<number | null>
  }
  function start(...args: readonly string[]): Running {
    let out = ''
    let err = ''
    const child = spawn(process.execPath, [BIN, '--host', far, ...args], {
      cwd: machine.folder,
      env: { ...machine.env },
      stdio: ['pipe', 'pipe', 'pipe'],
    })
    child.stdout.on('data', (chunk) => (out += String(chunk)))
    child.stderr.on('data', (chunk) => (err += String(chunk)))
    const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
    onTestFinished(() => void child.kill('SIGKILL'))
    return { child, out: () => out, err: () => err, ended }
  }
  function onTerminal(columns: number, rows: number, ...args: readonly string[]) {
    let text = ''
    const terminal = spawnTerminal(process.execPath, [BIN, '--host', far, ...args], {
      cols: columns,
      rows,
      cwd: machine.folder,
      env: { ...machine.env },
    })
    terminal.onData((data) => (text += data))
    const ended = new Promise<number>((resolve) =>
      terminal.onExit(({ exitCode }) => resolve(exitCode)),
    )
    onTestFinished(() => terminal.kill('SIGKILL'))
    return { terminal, text: () => text, ended }
  }

  const oneConnection = () =>
    waitFor(
      'one connection',
      () => {
        const found = machine.connections()
        if (found.length === 1) return true
        throw new Error([`${found.length} connections:`, ...found, ...sshHere()].join('\n'))
      },
      { limit: LIMIT },
    )
  /** How all of our ssh look that still run. */
  const sshHere = (): string[] =>
    processesThatShow(['cmdline'], machine.folder).map((pid) => {
      try {
        return `${pid}: ${readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')}`
      } catch {
        return pid
      }
    })

  it('runs commands there over one connection, with their files from here and their exit codes', async () => {
    // Two that find none make one.
    const [first, second] = await Promise.all([run(['tree', '--json']), run(['status', '--short'])])
    expect(first).toMatchObject({ code: 0, stderr: '' })
    expect(second).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^(exo\n)?$/),
      stderr: '',
    })
    // It waits half a second for its answer, which may be too little on a busy machine.
    await waitFor(
      'the status in time',
      async () => (await run(['status', '--short'])).stdout === 'exo\n',
      { limit: LIMIT },
    )
    await oneConnection()
    writeFileSync(join(machine.folder, 'tasks.md'), '## search\n\nAdd the search\n')
    expect(await run(['spawn', 'workers', '--file', 'tasks.md'])).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('✓ search'),
    })
    const seen = await run(['tree', '--json'])
    expect(seen.json.root).toMatchObject({
      worktree: tree.repository.path,
      children: [{ name: 'auth' }, { name: 'search' }],
    })
    const said = await run(['send', 'auth', '-'], { input: "it's “here” \\\\ now\n" })
    expect(said).toMatchObject({ code: 0, stderr: '' })
    await tree.logged('auth', 'the message', ({ text }) =>
      String(text).includes("it's “here” \\\\ now"),
    )
    const unknown = await run(['kill', 'nobody', '--json'])
    expect(unknown).toMatchObject({ code: 1, json: { code: 'AGENT_NOT_FOUND' } })
    expect(await run(['kill'])).toMatchObject({ code: 2 })
    await oneConnection()
  })

  it('runs what works on files with the program there', async () => {
    expect(await run(['run', '--wait', '--', 'echo "$HOME"; exit 7'])).toMatchObject({
      code: 7,
      stdout: `${tree.repository.home}\n`,
    })
    const found = await run(['config', 'check', '--json'])
    expect(found.json).toMatchObject({ file: join(tree.repository.path, '.exomonad/config.toml') })
  })

  it('ends there what Ctrl-C ends here', async () => {
    const following = start('daemon', 'logs', '--follow')
    await waitFor('the log', () => following.out() !== '', { limit: LIMIT })
    const ofThere = processesThatShow(['environ'], tree.repository.home)
    const there = (): string[] =>
      processesThatShow(['cmdline'], 'logs\0--follow').filter((pid) => ofThere.includes(pid))
    expect(there()).not.toEqual([])
    following.child.kill('SIGINT')
    await following.ended
    await waitFor('its end there', () => there().length === 0, { limit: LIMIT })
  })

  it('starts the daemon there, as the person has it when they log in', async () => {
    await run(['daemon', 'stop'])
    expect(await run(['daemon', 'status'])).toMatchObject({ code: 1 })
    expect((await run(['tree', '--json'])).json.root.name).toBe('root')
    const variables = readFileSync(`/proc/${await tree.daemonPid()}/environ`, 'utf8').split('\0')
    expect(variables.find((one) => one.startsWith('PATH='))).toContain(join(machine.folder, 'bin'))
    expect(variables.some((one) => one.startsWith('EXOMONAD_LINE='))).toBe(false)
  })

  it('streams, across a connection that is cut and a daemon that is restarted, until Ctrl-C', async () => {
    const following = start('events', '--follow', '--json', '--last', '1')
    await waitFor('the newest event', () => following.out().includes('\n'), { limit: LIMIT })
    await tree.call('note', { message: 'before' })
    await waitFor('the note', () => following.out().includes('"before"'), { limit: LIMIT })
    machine.cut()
    await waitFor('the cut to be said', () => following.err().includes('was cut'), { limit: LIMIT })
    await tree.call('note', { message: 'meanwhile' })
    await waitFor('the note', () => following.out().includes('"meanwhile"'), { limit: LIMIT })
    expect(following.err()).toBe(
      `! The connection to ${far} was cut. Connecting again; Ctrl-C ends this.\n! Connected to ${far} again.\n`,
    )
    await tree.crash()
    await tree.call('note', { message: 'after' })
    await waitFor('the note', () => following.out().includes('"after"'), { limit: LIMIT })
    following.child.kill('SIGINT')
    expect(await following.ended).toBe(0)
    const seqs = following
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => (JSON.parse(line) as { seq: number }).seq)
    expect(seqs).toEqual(seqs.map((_seq, index) => (seqs[0] ?? 0) + index))
  })

  it('says that a silent connection was cut, and what to do, where asking again is not safe', async () => {
    tree.script('busy', { steps: [{ do: 'file', path: 'never' }] })
    await tree.call('spawn_workers', { specs: [{ name: 'busy', prompt: 'x' }] })
    const waiting = start('wait', '10m', 'busy', '--json')
    await waitFor('it to wait', async () => (await tree.tree()).root.waiting_for !== null, {
      limit: LIMIT,
    })
    const goOn = machine.silence()
    onTestFinished(goOn)
    expect(await waiting.ended).toBe(1)
    expect(JSON.parse(waiting.out())).toMatchObject({ code: 'HOST_UNREACHABLE', reason: 'cut' })
    expect(waiting.err()).toContain(`The connection to ${far} was cut. What was asked for may`)
    expect(waiting.err()).toContain(`exomonad --host ${far} tree`)
  })

  it('spawns once what was cut off while it was spawned', async () => {
    const spawning = start('spawn', 'workers', 'slow=Wait')
    const file = (name: string): string => join(tree.repository.folder, name)
    await waitFor('its set-up', () => existsSync(file('began')), { limit: LIMIT })
    machine.cut()
    await waitFor('the cut to be said', () => spawning.err().includes('was cut'), { limit: LIMIT })
    writeFileSync(file('go'), '')
    expect(await spawning.ended).toBe(0)
    expect(spawning.out()).toContain('✓ slow')
    const { root } = (await run(['tree', '--json'])).json
    expect(root.children.filter(({ name }: any) => name.startsWith('slow'))).toHaveLength(1)
  })

  it('connects again where it is cut while a command connects', async () => {
    const file = (name: string): string => join(machine.folder, name)
    const [bin, asked, isCut] = [file('cutting'), file('asked'), file('is-cut')]
    mkdirSync(bin)
    // The daemon there has been found, and nothing leads to it yet.
    writeFileSync(
      join(bin, 'ssh'),
      `#!/bin/sh
'${file('own/ssh')}' "$@"
said=$?
case "$*" in *__access*)
  [ -e '${asked}' ] || { touch '${asked}'; until [ -e '${isCut}' ]; do sleep 0.05; done; } ;;
esac
exit $said
`,
      { mode: 0o755 },
    )
    const asking = run(['tree', '--json'], { env: { PATH: `${bin}:${machine.env['PATH'] ?? ''}` } })
    await waitFor('what it asks', () => existsSync(asked), { limit: LIMIT })
    machine.cut()
    await waitFor(
      'its ssh to end',
      () => !sshHere().some((one) => one.includes('ControlMaster=yes')),
    )
    writeFileSync(isCut, '')
    expect(await asking).toMatchObject({
      ...{ code: 0, stderr: '' },
      json: { root: { worktree: tree.repository.path } },
    })
  })

  it('shows a terminal there at the size of the one here, and gives it back when it is cut', async () => {
    tree.script('shown', { steps: [{ do: 'print', text: 'shown is here' }] })
    await tree.call('spawn_workers', { specs: [{ name: 'shown', prompt: 'x' }] })
    const { pid } = await tree.logged('shown', 'its start', () => true)
    const sizeOf = (): string =>
      spawnSync('stty', ['-F', `/proc/${pid}/fd/0`, 'size'], { encoding: 'utf8' }).stdout.trim()
    const shown = onTerminal(91, 27, 'attach', 'shown')
    await waitFor('what it shows', () => shown.text().includes('shown is here'), { limit: LIMIT })
    await waitFor('its size', () => /^2\d 91$/.test(sizeOf()), { limit: LIMIT })
    shown.terminal.resize(103, 31)
    await waitFor('the new size', () => sizeOf().endsWith(' 103'), { limit: LIMIT })
    shown.terminal.write('~.typed there\r')
    await tree.logged('shown', 'what was typed', ({ text }) => text === '~.typed there')

    const token = readFileSync(
      join(
        tree.repository.env['XDG_STATE_HOME'] ?? '',
        'exomonad',
        `${repositoryHash(join(tree.repository.path, '.git'))}.token`,
      ),
      'utf8',
    ).trim()
    expect(token).toMatch(/^[\da-f]{64}$/)
    const following = start('events', '--follow', '--last', '1')
    await waitFor('the newest event', () => following.out().includes('\n'), { limit: LIMIT })
    expect(processesThatShow(['cmdline', 'environ'], token)).toEqual([])

    machine.cut()
    expect(await shown.ended).toBe(1)
    expect(shown.text()).toMatch(/\u001B\[\?1049l.*\u001B\[\?25h/su)
    expect(shown.text()).toContain(`The connection to ${far} was cut.`)
    expect((await tree.agent('shown')).state).not.toBe('failed')
  })

  it('is the console of that machine, which shows what became of the connection', async () => {
    const screen = await openConsole(
      { repository: { folder: machine.folder, env: machine.env, path: machine.folder } },
      { before: ['--host', far], args: ['auth'] },
    )
    onTestFinished(() => screen.close())
    await screen.until('the agent', (text) => text.startsWith('main › auth'))
    machine.cut()
    await screen.line('said after the cut')
    await tree.logged('auth', 'what was said', ({ text }) =>
      String(text).includes('said after the cut'),
    )
    const goOn = machine.silence()
    onTestFinished(goOn)
    await screen.until('the cut', (text) => text.includes('was cut') || text.includes('answer'))
    goOn()
    await screen.until('its end', (text) => !text.includes('was cut') && text.includes('auth'))
  })

  it('shows the page of that machine here, by a port of the same connection', async () => {
    const { json, stderr } = await run(['web', '--no-open', '--json'])
    expect(stderr).toBe('')
    const link = new URL(json.url)
    const there = new URL((await tree.call<{ url: string }>('web', {})).url)
    // Its own number is taken: this is the same machine.
    expect(link.hostname).toBe('127.0.0.1')
    expect(link.port).not.toBe(there.port)
    const opened = await fetch(link, { redirect: 'manual' })
    const cookie = String(opened.headers.get('set-cookie')).split(';')[0] ?? ''
    const key = String(opened.headers.get('location')).replace('/#page=', '')
    const asked = await fetch(new URL('/v1/tools/tree', link), {
      method: 'POST',
      headers: {
        ...{ cookie, origin: link.origin, 'content-type': 'application/json' },
        'x-exomonad-page': key,
      },
      body: '{}',
    })
    expect(await asked.json()).toMatchObject({ root: { worktree: tree.repository.path } })
    const again = await run(['web', '--no-open', '--json'])
    expect(new URL(again.json.url).port).toBe(link.port)
    await oneConnection()
  })

  it('serves MCP, and completes words, from there', async () => {
    const serving = start('mcp')
    const ask = (id: number, method: string, params: object): void =>
      void serving.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    ask(1, 'initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    })
    await waitFor('its answer', () => serving.out().includes('"serverInfo"'), { limit: LIMIT })
    serving.child.stdin?.write('{"jsonrpc":"2.0","method":"notifications/initialized"}\n')
    ask(2, 'tools/call', { name: 'tree', arguments: {} })
    await waitFor('the tree', () => serving.out().includes('auth'), { limit: LIMIT })
    // It waits two seconds, which may be too little on a busy machine.
    await waitFor(
      'the words',
      async () =>
        (await exomonad(['__complete', '--', '--host', far, 'kill', 'au'])).stdout.startsWith(
          'auth\t',
        ),
      { limit: LIMIT },
    )
  })

  it('sets a repository up there, and does all that docs/elsewhere.md shows', async () => {
    const path = join(tree.repository.folder, 'another one')
    mkdirSync(join(path, '.exomonad'), { recursive: true })
    cpSync(join(tree.repository.path, '.exomonad/config.toml'), join(path, '.exomonad/config.toml'))
    await tree.repository.gitIn(path, 'init', '-q')
    await tree.repository.gitIn(path, 'commit', '-q', '--allow-empty', '-m', 'First')
    const there = `far:${path}`
    const before = await exomonad(['--host', there, 'tree', '--json'])
    expect(before).toMatchObject({ code: 1, json: { code: 'NOT_INITIALIZED' } })
    expect(before.stderr).toContain(`On ${there}: exomonad is not set up in ${path}.`)
    expect(before.stderr).toContain(`It is set up there in ${tree.repository.path}`)

    tree.script('docs', { steps: [] })
    const blocks = runBlocks('docs/elsewhere.md')
    expect(blocks.length).toBeGreaterThan(1)
    const lines = blocks.join('\n').replaceAll('ada@big:/srv/app', '"$THERE"')
    const ran = await runProgram('sh', ['-ec', lines], {
      env: { ...machine.env, THERE: there },
      cwd: machine.folder,
      timeout: 110_000,
    })
    expect(ran.code, `${ran.stdout}\n${ran.stderr}`).toBe(0)
    expect(ran.stdout).toContain('✓ docs')
    expect(await exomonad(['--host', there, 'deinit'])).toMatchObject({ code: 0 })
    await oneConnection()
  })

  it.each([
    ['stranger', 'HOST_UNREACHABLE', 'unknown_host_key', /Log in once by hand \(`ssh stranger`\)/],
    ['changed', 'HOST_UNREACHABLE', 'host_key_changed', /another host key than the one/],
    ['refused', 'HOST_UNREACHABLE', 'not_let_in', /without a password/],
    ['silent', 'HOST_UNREACHABLE', 'refused', /no SSH server listens/],
    ['nowhere.invalid', 'HOST_UNREACHABLE', 'unknown_host', /Check how it is written/],
    ['closed', 'HOST_UNREACHABLE', 'no_forwarding', /AllowStreamLocalForwarding/],
    ['far:/no/where', 'NOT_A_REPOSITORY', undefined, /no folder \/no\/where on far/],
    ['far', 'NOT_A_REPOSITORY', undefined, /On far: .* is not in a git repository/],
  ])('says what is the matter with %s', async (name, code, reason, words) => {
    const host = name.startsWith('far') ? name : `${name}:${tree.repository.path}`
    const failed = await exomonad(['--host', host, 'tree', '--json'])
    expect(failed).toMatchObject({ code: 1, json: { code } })
    expect(failed.json.reason).toBe(reason)
    expect(failed.stderr).toMatch(words)
  })

  it('says what is missing here and there, and refuses what makes no sense', async () => {
    const bare = await run(['tree'], { env: { PATH: machine.folder } })
    expect(bare).toMatchObject({ code: 1, stderr: expect.stringContaining('no `ssh` on PATH') })
    const profile = readFileSync(machine.profile)
    onTestFinished(() => writeFileSync(machine.profile, profile))
    writeFileSync(machine.profile, '')
    for (const command of ['tree', 'doctor'])
      expect(await run([command])).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/not on the PATH that you have on far when you log in/),
      })
    expect(await exomonad(['--host', '-oProxyCommand=id', 'tree'])).toMatchObject({ code: 2 })
    expect(await run(['hook', 'stop'])).toMatchObject({ code: 2 })
    const after = await exomonad(['tree', '--host', far])
    expect(after).toMatchObject({ code: 2, stderr: expect.stringContaining('before the command') })
    for (const options of [
      { env: { EXOMONAD_AGENT_ID: 'some-agent' } },
      { cwd: (await tree.agent('auth')).worktree },
    ])
      expect(await tree.run(['__access', '--json'], options)).toMatchObject({
        code: 1,
        json: { code: 'NOT_ALLOWED' },
      })
    const agent = await run(['tree'], { env: { EXOMONAD_AGENT_ID: 'some-agent' } })
    expect(agent).toMatchObject({ code: 1, stderr: expect.stringContaining('NOT_ALLOWED') })
  })
})

/** Ids of those whose command line or environment holds a text. */
function processesThatShow(where: readonly ('cmdline' | 'environ')[], text: string): string[] {
  const shows = (pid: string, file: string): boolean => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'latin1').includes(text)
    } catch {
      return false
    }
  }
  return readdirSync('/proc').filter(
    (name) => /^\d+$/.test(name) && where.some((file) => shows(name, file)),
  )
}
