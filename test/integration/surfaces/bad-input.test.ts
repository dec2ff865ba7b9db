import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { runProgram, startExomonad, type Exomonad, type RunResult } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Bad input and bad surroundings get one clear error with a code and what to do, and nothing is
 * lost.
 */

const workers = (...names: string[]) => ({
  specs: names.map((name) => ({ name, prompt: 'Nothing to do.' })),
})

/** A POST to the daemon as the agent app-1. */
const rawRequest = async (
  tree: Exomonad,
  path: string,
  body: string,
  to: { url?: URL } = {},
): Promise<{ status: number; body: any }> => {
  const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
  const authorization = `Bearer ${await tokenOf(tree)}`
  const headers = {
    authorization,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const { url } = to
  const where =
    url === undefined
      ? { socketPath: socket, path }
      : { host: url.hostname, port: url.port, path: url.pathname }
  return new Promise((resolve, reject) => {
    const sent = request({ ...where, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }),
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

const tokenOf = async (tree: Exomonad): Promise<string> =>
  readFileSync(join(tree.state, 'auth', (await tree.agent('app-1')).id), 'utf8').trim()

/** Of all that leave it as it was. */
let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad()
  await tree.call('spawn_workers', workers('app-1', 'app-10'))
})
afterAll(() => tree?.stop())

describe('bad arguments', () => {
  it.each([
    ['an unknown agent', 'send', { to: 'nobody', message: 'x' }, 'AGENT_NOT_FOUND', /nobody/],
    ['a name that is only a prefix', 'kill', { agent: 'app' }, 'AGENT_NOT_FOUND', /app/],
    ['an empty message', 'send', { to: 'app-1', message: '  ' }, 'INVALID_ARG', /empty/],
    [
      'a slug with nothing in it',
      'spawn_subtree',
      { task: 'x', branch_name: '¿?' },
      'INVALID_ARG',
      /letter|digit/,
    ],
    [
      'a slug git refuses',
      'spawn_subtree',
      { task: 'x', branch_name: 'lock' },
      'INVALID_ARG',
      /lock/,
    ],
    ['an argument of the wrong type', 'merge_pr', { pr_number: 'one' }, 'INVALID_ARG', /pr_number/],
    ['a missing argument', 'spawn_workers', {}, 'INVALID_ARG', /specs/],
    ['an unknown argument', 'note', { message: 'x', mesage: 'y' }, 'INVALID_ARG', /mesage/],
    ['an unknown pull request', 'pr_show', { pr_number: 7 }, 'PR_NOT_FOUND', /7/],
    [
      'a question nobody asked',
      'answer_question',
      { agent: 'app-1', message: 'x' },
      'NO_PENDING_QUESTION',
      /app-1/,
    ],
    [
      'an agent program nobody configured',
      'spawn_subtree',
      { task: 'x', branch_name: 'y', agent: 'nothing' },
      'AGENT_CLI_MISSING',
      /nothing/,
    ],
  ])('%s', async (_what, tool, input, code, words) => {
    const refusal = await tree.refusal(tool, input)
    expect(refusal.code === code ? code : `${refusal.code}: ${refusal.error}`).toBe(code)
    expect(refusal.error).toMatch(words)
  })

  it('one bad spec does not stop the others: each is refused with its own reason', async () => {
    const good = { name: 'Ünïcode näme', prompt: 'Nothing to do.' }
    const bad = [
      { name: 'no-task' },
      { name: 'empty-task', prompt: '' },
      { prompt: 'Nameless.' },
      { name: 'human', prompt: 'Who?' },
    ]
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [bad[0], good, ...bad.slice(1)],
    })
    expect(spawned).toMatchObject([{ name: 'unicode-name', branch: 'main.unicode-name' }])
    expect(errors.map(({ code }: any) => code)).toEqual(Array(4).fill('INVALID_ARG'))
    expect(errors.map(({ error }: any) => error).join('\n')).toMatch(
      /no-task has no task.*\nempty-task has no task.*\n.*nothing to name.*\n"human" can’t be/,
    )
    expect(await tree.agent('main.unicode-name'.slice(5))).toBeDefined()
  })

  const inShell = (line: string): Promise<RunResult> => {
    const program = `exomonad() { '${process.execPath}' '${BIN}' "$@"; }`
    return runProgram('sh', ['-c', `${program}; ${line}`], {
      cwd: tree.repository.path,
      env: tree.repository.env,
    })
  }

  it.each([
    '--help',
    'tree',
    'tree --json',
    'tree --watch',
    'tree --watch --json',
    'events --follow',
    'logs app-1 --follow',
    'daemon logs --follow',
    'call tree',
    'call none',
    'completion bash',
    'config check',
    'run --wait seq 9',
    'nonsense --json',
  ])(
    'output that can’t be written is exit code 1 with a word on stderr, and ends what follows: %s',
    async (line) => {
      const result = await inShell(`exomonad ${line} >/dev/full`)
      expect(result.stderr).toMatch(/^✗ The output could not be written: ENOSPC/m)
      expect(result.code).toBe(1)
    },
  )

  it.each(['events --follow --json', 'run --wait seq 300000'])(
    'a reader who goes away ends what follows, and is no fault: %s',
    async (line) => {
      let result: RunResult | undefined
      const ended = inShell(`{ exomonad ${line}; echo "ended with $?" >&2; } | head -n 1`).then(
        (it) => (result = it),
      )
      // Only what is written shows that nobody reads.
      await waitFor(
        'its end',
        async () =>
          result !== undefined ||
          (await tree.call('send', { to: 'app-1', message: 'one more event' }), false),
        {
          limit: 60_000,
        },
      )
      expect((await ended).stderr).toMatch(/^ended with \d+$/m)
      expect((await ended).stderr).not.toContain('could not be written')
    },
  )

  describe('nesting without end is refused in words, and nothing is done', () => {
    const lists = (depth: number) => '['.repeat(depth) + ']'.repeat(depth)
    const OPEN = '['.repeat(400_000)
    const DEEP = [
      OPEN,
      lists(2000),
      `{"message":${lists(2000)}}`,
      `{"message":${'{"a":'.repeat(200_000)}1${'}'.repeat(200_000)}}`,
    ]
    let url: URL

    beforeAll(async () => {
      url = new URL(
        `http://127.0.0.1:${JSON.parse(readFileSync(join(tree.state, 'mcp.json'), 'utf8')).port}/mcp`,
      )
    })

    it.each([
      'tools/note',
      'tools/tree',
      'tools/none',
      'hooks/stop',
      'hooks/prompt',
      'hooks/program/PreToolUse',
    ])('POST /v1/%s', async (route) => {
      for (const body of DEEP)
        expect(await rawRequest(tree, `/v1/${route}`, body)).toMatchObject({
          status: 400,
          body: { code: 'INVALID_ARG' },
        })
    })

    it('MCP over HTTP', async () => {
      const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"note","arguments":${DEEP[2]}}}`
      for (const body of [...DEEP, call])
        expect(await rawRequest(tree, '', body, { url })).toMatchObject({
          status: 400,
          body: { id: null, error: { data: { code: 'INVALID_ARG' } } },
        })
    })

    it('MCP over stdio: each line is answered, by its id where it has one, and the connection goes on', async () => {
      const call = (id: number, document: string) =>
        `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"note","arguments":${document}}}`
      const lines = [
        OPEN,
        '{oops',
        lists(2000),
        call(7, DEEP[2]!),
        call(8, DEEP[3]!),
        '{"jsonrpc":"2.0","id":9,"method":"ping"}',
      ]
      const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
      const program = spawn(process.execPath, [BIN, 'mcp'], {
        env: {
          ...tree.repository.env,
          EXOMONAD_SOCKET: socket,
          EXOMONAD_TOKEN: await tokenOf(tree),
        },
        stdio: ['pipe', 'pipe', 'ignore'],
      })
      onTestFinished(() => void program.kill())
      let said = ''
      program.stdout.setEncoding('utf8').on('data', (chunk: string) => (said += chunk))
      program.stdin.write(`${lines.join('\n')}\n`)
      const answers = (): any[] =>
        said
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line))
      await waitFor('all answers', () => answers().length === lines.length, { limit: 60_000 })
      const refused = (id: number | null, code: number) => ({
        id,
        error: {
          code,
          message: expect.stringMatching(/nested deeper than 100 levels|JSON at position/),
        },
      })
      const byId = answers().toSorted((one, other) => (one.id ?? 0) - (other.id ?? 0))
      expect(byId).toMatchObject([
        ...Array(3).fill(refused(null, -32_700)),
        refused(7, -32_602),
        refused(8, -32_602),
        { id: 9 },
      ])
    })

    it.each([
      ['call note -', ['call', 'note', '-'], 2],
      ['spawn', ['spawn', 'workers', '--file', '-'], 2],
      ['hook', ['hook', 'prompt'], 0],
    ] as const)('exomonad %s', async (_what, args, code) => {
      for (const input of args[0] === 'spawn' ? [...DEEP, `a${'.a'.repeat(200_000)} = 1`] : DEEP) {
        const result = await tree.run(args, { input })
        expect(
          { code: result.code, fault: /stack|RangeError|INTERNAL/.test(result.stderr) },
          result.stderr.slice(0, 300),
        ).toEqual({ code, fault: false })
      }
    })

    it('of none of it anything was kept', async () => {
      expect((await tree.events()).filter(({ type }) => type === 'note')).toEqual([])
      expect(readFileSync(join(tree.state, 'logs', 'daemon.log'), 'utf8')).not.toMatch(
        /Maximum call stack|RangeError/,
      )
    })
  })

  it('a prefix of two ids is ambiguous; the error says how to be exact', async () => {
    const [first, second] = [await tree.agent('app-1'), await tree.agent('app-10')]
    let length = 0
    while (first.id[length] === second.id[length]) length += 1
    if (length >= 4)
      expect(await tree.refusal('kill', { agent: first.id.slice(0, length) })).toMatchObject({
        code: 'AMBIGUOUS_ID',
      })
    expect(await tree.agent('app-1')).toMatchObject({ id: first.id })
  })

  it('an unknown tool is named with the nearest known one', async () => {
    const result = await tree.command(['call', 'spawn_worker', '{}'])
    expect(result.code).toBe(1)
    expect(result.stdout + result.stderr).toContain('spawn_workers')
  })

  it('JSON that is none, and an unknown option, are usage errors: exit code 2 and nothing tried', async () => {
    expect((await tree.command(['call', 'note', '{oops'])).code).toBe(2)
    expect((await tree.command(['tree', '--no-such-option'])).code).toBe(2)
  })

  it(
    verifies('R004-07', 'a token that is wrong or missing never falls back to the owner'),
    async () => {
      const agent = await tree.agent('app-1')
      const forged = await tree.command(['call', 'kill', '{"agent":"app-10"}'], {
        env: {
          EXOMONAD_AGENT_ID: agent.id,
          EXOMONAD_TOKEN: 'forged',
          EXOMONAD_SOCKET: JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
            .socket,
        },
      })
      expect(forged.code).toBe(1)
      expect(forged.stdout + forged.stderr).toMatch(/NOT_ALLOWED|UNAUTHORIZED/)
      const inside = await tree.command(['call', 'kill', '{"agent":"app-10"}'], {
        cwd: agent.worktree,
      })
      expect(inside.code).toBe(1)
      expect(inside.stdout + inside.stderr).toContain('NOT_ALLOWED')
      expect((await tree.agent('app-10')).state).not.toBe('killed')
    },
  )
})

describe('bad surroundings', () => {
  it('a detached HEAD, or another branch, in the caller’s worktree', async () => {
    onTestFinished(async () => void (await tree.repository.git('checkout', '-q', 'main')))
    await tree.repository.git('checkout', '-q', '--detach')
    expect(await tree.refusal('spawn_workers', workers('x'))).toMatchObject({
      code: 'DETACHED_HEAD',
    })
    await tree.repository.git('checkout', '-q', '-b', 'elsewhere')
    expect(await tree.refusal('spawn_workers', workers('x'))).toMatchObject({
      code: 'WRONG_BRANCH',
      found: 'elsewhere',
      expected: 'main',
    })
  })

  it('a branch that is checked out elsewhere', async () => {
    const elsewhere = join(tree.repository.folder, 'elsewhere')
    await tree.repository.git('worktree', 'add', '-q', '-b', 'main.busy', elsewhere)
    const { spawned, errors } = await tree.call('spawn_workers', workers('busy', 'free'))
    expect(errors).toMatchObject([{ name: 'busy', code: 'BRANCH_EXISTS' }])
    expect(spawned).toHaveLength(1)
    expect(await tree.repository.gitIn(elsewhere, 'symbolic-ref', '--short', 'HEAD')).toBe(
      'main.busy',
    )
  })

  it('a remote that is gone: the pull request is refused, the work stays, and goes through when it is back', async () => {
    const origin = join(tree.state, 'origin.git')
    const go = join(tree.repository.folder, 'go')
    const file = { do: 'tool', name: 'file_pr', input: { title: 'x', body: 'x' } }
    tree.script('worker', {
      stop: false,
      steps: [
        { do: 'write', path: 'w.txt', content: 'w\n' },
        { do: 'commit', message: 'Add w' },
        { do: 'file', path: `${go}-1` },
        file,
        { do: 'file', path: `${go}-2` },
        file,
      ],
    })
    await tree.call('spawn_workers', workers('worker'))
    renameSync(origin, `${origin}.away`)
    onTestFinished(() => {
      if (existsSync(`${origin}.away`)) renameSync(`${origin}.away`, origin)
    })
    writeFileSync(`${go}-1`, '')
    expect(
      await tree.logged('worker', 'the refusal', (entry) => entry['name'] === 'file_pr'),
    ).toMatchObject({ answer: { code: 'FORGE_UNAVAILABLE' } })
    expect(await tree.repository.git('log', '-1', '--format=%s', 'main.worker')).toBe('Add w')
    renameSync(`${origin}.away`, origin)
    writeFileSync(`${go}-2`, '')
    expect(
      await tree.logged('worker', 'the pull request', (entry) => entry['answer']?.created === true),
    ).toBeTruthy()
  })

  it('a configuration that doesn’t parse, or holds unknown keys, is named with file, line and key', async () => {
    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    const good = readFileSync(file, 'utf8')
    onTestFinished(() => writeFileSync(file, good))
    writeFileSync(file, `${good}\n[limits]\nmax_live_agent = 3\n`)
    const unknown = await tree.command(['config', 'check'])
    expect(unknown.code).toBe(1)
    expect(unknown.stdout + unknown.stderr).toMatch(/max_live_agents/)
    expect(unknown.stdout + unknown.stderr).toContain('config.toml')
    writeFileSync(file, `${good}\n[limits\n`)
    const broken = await tree.command(['config', 'check'])
    expect(broken.code).toBe(1)
    expect(broken.stdout + broken.stderr).toMatch(/line|:\d+/)
    // The daemon goes on with what it knows or says what is wrong; it never dies of it.
    await tree.command(['call', 'spawn_workers', JSON.stringify(workers('after'))])
    expect((await tree.command(['daemon', 'status', '--json'])).code).toBe(0)
    writeFileSync(file, good)
    expect((await tree.command(['config', 'check'])).code).toBe(0)
  })

  it('a store of a newer version is left alone', async () => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    expect((await tree.command(['daemon', 'stop'])).code).toBe(0)
    const file = join(tree.state, 'store.db')
    const database = new Database(file)
    database
      .prepare(
        "insert into kysely_migration (name, timestamp) values ('9999_from_the_future', '2099-01-01T00:00:00.000Z')",
      )
      .run()
    database.close()
    const result = await tree.command(['daemon', 'start'])
    expect(result.code).toBe(1)
    expect(result.stdout + result.stderr).toMatch(/STORE_TOO_NEW|newer/)
    const again = new Database(file)
    again.prepare("delete from kysely_migration where name = '9999_from_the_future'").run()
    again.close()
    expect((await tree.command(['daemon', 'start'])).code).toBe(0)
  })

  it('a repository path too long for a socket still works', async () => {
    const tree = await startExomonad({ name: `${'long '.repeat(30)}ü` })
    onTestFinished(() => tree.stop())
    const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
    expect(Buffer.byteLength(socket)).toBeLessThan(108)
    expect((await tree.call('spawn_workers', workers('fine'))).spawned).toHaveLength(1)
  })

  it('a daemon that isn’t running is started by the command that needs it', async () => {
    await tree.call('spawn_workers', workers('stays'))
    const { pid } = await tree.agent('stays')
    expect((await tree.command(['daemon', 'stop'])).code).toBe(0)
    expect(existsSync(`/proc/${pid}`)).toBe(true)
    expect((await tree.command(['daemon', 'status'])).stdout).toMatch(/not running|stopped/i)
    expect(await tree.agent('stays')).toMatchObject({ pid })
  })
})

describe('init', () => {
  it('refuses what it can’t work in, with words, and leaves nothing', async () => {
    const tree = await startExomonad({ init: false, files: null })
    onTestFinished(() => tree.stop())
    const empty = await tree.command(['init', '--json'])
    expect(empty.code).toBe(1)
    expect(empty.json).toMatchObject({ code: 'NO_COMMITS' })
    expect(existsSync(tree.state)).toBe(false)
    const outside = join(tree.repository.folder, 'outside')
    mkdirSync(outside)
    expect((await tree.command(['init', '--json'], { cwd: outside })).json).toMatchObject({
      code: 'NOT_A_REPOSITORY',
    })
    await tree.repository.commit({ 'a.txt': 'a' })
    await tree.repository.git('checkout', '-q', '--detach')
    expect((await tree.command(['init', '--json'])).json).toMatchObject({ code: 'DETACHED_HEAD' })
    expect(existsSync(tree.state)).toBe(false)
  })

  it('a second time changes nothing and says what is there', async () => {
    const before = await tree.tree()
    const again = await tree.command(['init'])
    expect(again.code).toBe(0)
    expect(again.stdout + again.stderr).toMatch(/already/i)
    expect((await tree.tree()).root.id).toBe(before.root.id)
    expect(await tree.repository.git('status', '--porcelain', '--', '.exomonad/worktrees')).toBe('')
  })

  it.each([
    ['spaces and unicode in its path', { name: 'mein Répertoire ☂' }],
    ['dots and slashes in its root branch', { branch: 'release/1.2.x' }],
  ])('works in a repository with %s', async (_what, options) => {
    const tree = await startExomonad(options)
    onTestFinished(() => tree.stop())
    const { spawned } = await tree.call('spawn_workers', workers('w'))
    expect(spawned[0].branch).toBe(`${'branch' in options ? options.branch : 'main'}.w`)
    await tree.logged('w', 'its start', (entry) => entry['kind'] === 'ready')
    await tree.repository.git('clean', '-fdxq')
    expect((await tree.agent('w')).state).not.toBe('failed')
    expect(existsSync(join(tree.state, 'store.db'))).toBe(true)
  })
})
