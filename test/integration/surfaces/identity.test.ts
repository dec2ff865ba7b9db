import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { COMMANDS } from '../../../src/surfaces/cli/commands.ts'
import { createClient } from '../../../src/surfaces/client.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/** Who one is: by token alone, and never more than that. */

let tree: Exomonad
let socket: string
const agents: Record<string, { id: string; worktree: string; token: string }> = {}

beforeAll(async () => {
  tree = await startExomonad()
  socket = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
  for (const name of ['dev', 'doomed', 'crasher']) {
    const { spawned } = await tree.call('spawn_workers', { specs: [{ name, prompt: 'Wait' }] })
    await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
    const { agent_id: id, worktree } = spawned[0]
    agents[name] = { id, worktree, token: readFileSync(join(tree.state, 'auth', id), 'utf8') }
  }
})
afterAll(() => tree?.stop())

const agent = (name: string) => agents[name] ?? { id: '', worktree: '', token: '' }
const call = (token: string, tool: string, input: unknown = {}, as?: string) =>
  createClient({ socket, token, as }).callTool(tool, input)

/** It is at rest, with all that was sent to it read: no turn of it is to come. */
const rests = (name: string): Promise<unknown> =>
  waitFor(`${name} to rest`, async () => {
    const { state, undelivered } = await tree.agent(name)
    return state === 'idle' && undelivered === 0
  })

const ownerToken = (): string => {
  const folder = join(tree.repository.env['XDG_STATE_HOME'] ?? '', 'exomonad')
  const [file = ''] = readdirSync(folder).filter((name) => name.endsWith('.token'))
  return readFileSync(join(folder, file), 'utf8').trim()
}

describe('an agent’s token', () => {
  it(
    verifies('R004-07', 'opens what its role has and nothing of the human’s, by any name'),
    async () => {
      const { token } = agent('dev')
      const open = ALL_TOOLS.filter((tool) => tool.audience.includes('dev')).map(
        (tool) => tool.name,
      )
      expect(open).toContain('note')
      for (const { name } of ALL_TOOLS.filter((tool) => !open.includes(tool.name))) {
        await expect(call(token, name, {}), name).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
      }
      await expect(call(token, 'note', { message: 'mine' })).resolves.toEqual({ status: 'sent' })
      const listed = await createClient({ socket, token }).get<{ tools: { name: string }[] }>(
        '/v1/tools?all=true',
      )
      expect(listed.tools.map(({ name }) => name).filter((name) => !open.includes(name))).toEqual(
        [],
      )
    },
  )

  it('acts for nobody else, not even for itself under another name', async () => {
    for (const as of ['main', 'doomed', 'dev']) {
      await expect(call(agent('dev').token, 'note', { message: 'x' }, as)).rejects.toMatchObject({
        code: 'NOT_ALLOWED',
      })
    }
    const env = {
      EXOMONAD_AGENT_ID: agent('dev').id,
      EXOMONAD_TOKEN: agent('dev').token,
      EXOMONAD_SOCKET: socket,
    }
    expect(
      await tree.command(['call', 'note', '{"message":"x"}', '--as', 'main'], {
        env,
        cwd: agent('dev').worktree,
      }),
    ).toMatchObject({
      code: 1,
      json: { code: 'NOT_ALLOWED' },
    })
    expect(
      (await tree.events()).filter(
        (event) => event.type === 'note' && event.payload.message === 'x',
      ),
    ).toEqual([])
  })

  it('shows events of that agent only', async () => {
    const seen = []
    for await (const event of createClient({ socket, token: agent('dev').token }).events({
      follow: false,
    }))
      seen.push(event)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.filter((event) => event.agentId !== agent('dev').id)).toEqual([])
    await expect(
      createClient({ socket, token: agent('dev').token })
        .events({ follow: false, agent: 'doomed' })
        .next(),
    ).rejects.toMatchObject({ code: 'NOT_A_CHILD' })
  })

  it('dies with it: tools, events and hooks are refused, and its file is gone', async () => {
    const { token, id } = agent('doomed')
    await tree.call('kill', { agent: 'doomed' })
    const client = createClient({ socket, token })
    await expect(client.callTool('note', { message: 'from the grave' })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    await expect(client.hook('stop', {})).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
    await expect(client.get('/v1/tree')).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
    await expect(client.events({ follow: false }).next()).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    expect(existsSync(join(tree.state, 'auth', id))).toBe(false)
  })

  it('is a new one after a resume, and the old one is worth nothing', async () => {
    const { token, id } = agent('crasher')
    process.kill((await tree.agent('crasher')).pid, 'SIGKILL')
    await waitFor('the failure', async () => (await tree.agent('crasher')).state === 'failed')
    await expect(call(token, 'note', { message: 'dead' })).rejects.toMatchObject({
      code: 'NOT_ALLOWED',
    })
    await tree.call('resume', { agent: 'crasher' })
    const renewed = readFileSync(join(tree.state, 'auth', id), 'utf8')
    expect(renewed).not.toBe(token)
    await expect(call(token, 'note', { message: 'old' })).rejects.toMatchObject({
      code: 'UNAUTHORIZED',
    })
    await expect(call(renewed, 'note', { message: 'new' })).resolves.toEqual({ status: 'sent' })
  })
})

describe('the owner who acts as an agent', () => {
  it('is that agent to all others, and in what may be done', async () => {
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
    const { id } = await tree.agent('lead')

    await tree.call('send', { to: 'dev', message: 'between us' }, { as: 'lead' })
    const { messages } = await tree.call('check_mail', {}, { as: 'dev' })
    expect(messages).toMatchObject([{ from: id, name: 'lead', message: 'between us' }])
    expect(await tree.refusal('send', { to: 'lead', message: 'me' }, { as: 'lead' })).toMatchObject(
      { code: 'INVALID_ARG' },
    )
    expect(await tree.refusal('kill', { agent: 'dev' }, { as: 'lead' })).toMatchObject({
      code: 'NOT_A_CHILD',
    })
    const { spawned } = await tree.call(
      'spawn_workers',
      { specs: [{ name: 'under', prompt: 'x' }] },
      { as: 'lead' },
    )
    await tree.call('note', { message: 'mine as well' }, { as: 'lead' })
    const events = await tree.events()
    const actors = Object.fromEntries(
      events
        .filter(({ agentId }) => agentId === spawned[0].agent_id || agentId === id)
        .map(({ type, actor }) => [type, actor]),
    )
    expect(actors).toMatchObject({ 'agent.spawned': id, note: id })
    // Its own program is left as it is by what a person waits for in its name.
    await tree.call('wait', { timeout: 0 }, { as: 'lead' })
    expect(
      (await tree.events()).filter(
        ({ type, agentId, payload }) =>
          type === 'agent.state' && agentId === id && payload.to === 'waiting',
      ),
    ).toEqual([])
  })

  it('is recorded: that the human called what is the agent’s own work, and nothing that only reads', async () => {
    const before = (await tree.events()).at(-1).seq
    await tree.call('send', { to: 'lead', message: 'by hand' }, { as: 'dev' })
    await tree.call('agent_status', {}, { as: 'dev' })
    await tree.call('note', { message: 'my own' })
    const recorded = (await tree.events()).filter(({ seq }) => seq > before)
    expect(
      recorded
        .filter(({ type }) => ['agent.acted_for', 'mail', 'note'].includes(type))
        .map(({ type, agentId, actor, payload }) => [type, agentId, actor, payload.by]),
    ).toEqual([
      ['agent.acted_for', agent('dev').id, 'human', 'person'],
      ['mail', expect.any(String), agent('dev').id, undefined],
      ['note', expect.any(String), expect.any(String), undefined],
    ])
    expect((await tree.run(['events', '--agent', 'dev', '--last', '3'])).stdout).toContain(
      'send called as it by the human',
    )
  })

  it('asks as that agent, whose own program goes on', async () => {
    await rests('dev')
    const asked = tree.call('question', { message: 'Red?', timeout: 60 }, { as: 'dev' })
    await waitFor('the question', async () =>
      (await tree.events()).some(
        ({ type, agentId, payload }) =>
          type === 'question.asked' && agentId === agent('dev').id && payload.message === 'Red?',
      ),
    )
    expect(await tree.agent('dev')).toMatchObject({ state: 'idle' })
    await tree.call('answer_question', { agent: 'dev', message: 'Blue.' })
    expect(await asked).toMatchObject({ answer: 'Blue.' })
  })

  it('is the root’s agent where it names that, and a person without a name', async () => {
    const root = (await tree.tree()).root
    await tree.call('send', { to: 'dev', message: 'from the root' }, { as: root.name })
    await tree.call('send', { to: 'dev', message: 'from a person' })
    const { messages } = await tree.call('check_mail', {}, { as: 'dev' })
    expect(messages).toMatchObject([{ from: root.id, message: 'from the root' }])
    expect(await tree.refusal('inbox', {}, { as: root.name })).toMatchObject({
      code: 'NOT_ALLOWED',
      error: expect.stringContaining('for the human only; leave out --as'),
    })
  })

  it('is the same over MCP, as a program of theirs: that agent’s tools, mail from it, and no more', async () => {
    const open = (as: string) =>
      connectMcp('v2', 'stdio', {
        url: '',
        socket,
        token: ownerToken(),
        cwd: tree.repository.path,
        args: ['--as', as],
      })
    const client = await open('dev')
    onTestFinished(() => client.close())
    const expected = ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('dev'))
    expect((await client.list()).map(({ name }) => name).toSorted()).toEqual(
      expected.map(({ name }) => name).toSorted(),
    )
    await client.call('send', { to: 'lead', message: 'over MCP' })
    const { messages } = await tree.call('check_mail', {}, { as: 'lead' })
    expect(messages.at(-1)).toMatchObject({ from: agent('dev').id, message: 'over MCP' })
    const byProgram = (await tree.events()).filter(({ payload }) => payload.by === 'program')
    expect(byProgram).toMatchObject([
      { type: 'agent.acted_for', agentId: agent('dev').id, payload: { tool: 'send' } },
    ])
    await client.call('wait', { timeout: 0 })
    expect(
      (await tree.events()).filter(
        ({ type, agentId, payload }) =>
          type === 'agent.state' && agentId === agent('dev').id && payload.to === 'waiting',
      ),
    ).toEqual([])
    // To a client that has asked before the daemon answered: with the daemon's own words.
    for (const [as, words] of [
      ['doomed', /doomed was killed, so that nobody can act as it|closed/],
      ['nobody', /not found: "nobody"|closed/],
    ] as const)
      await expect(
        open(as).then((opened) => opened.close()),
        as,
      ).rejects.toThrow(words)
  })

  it.each([
    ['doomed', 'NOT_ALLOWED', /doomed was killed, so that nobody can act as it\. Leave out --as/],
    ['nobody', 'AGENT_NOT_FOUND', /^Agent not found: "nobody".* It was given with --as\.$/],
  ])('cannot be %s: every way in says why', async (as, code, words) => {
    const refused = { code, error: expect.stringMatching(words) }
    expect(await tree.refusal('send', { to: 'dev', message: 'x' }, { as })).toMatchObject(refused)
    for (const argv of [
      ['send', 'dev', 'x'],
      ['events'],
      ['tree'],
      ['wait', '0'],
      ['call', 'note', '{"message":"x"}'],
    ])
      expect(await tree.run([...argv, '--as', as, '--json']), argv[0]).toMatchObject({
        code: 1,
        json: refused,
      })
    await expect(tree.client(as).hook('prompt', {})).rejects.toMatchObject({ code })
    const mcp = await tree.run(['mcp', '--as', as])
    expect(mcp.code).toBe(1)
    expect(mcp.stderr).toMatch(as === 'doomed' ? /doomed was killed/ : /not found: "nobody"/)
    // What people do beside an agent needs none that lives.
    if (as === 'doomed')
      expect(await tree.call('scrollback', {}, { as })).toMatchObject({
        entries: expect.any(Array),
      })
  })

  it('sees the events of that agent, and has nothing that is a person’s alone', async () => {
    const seen = []
    for await (const event of tree.client('dev').events({ follow: false })) seen.push(event.agentId)
    expect(new Set(seen)).toEqual(new Set([agent('dev').id]))
    const open = ALL_TOOLS.filter(
      (tool) => tool.audience.includes('dev') || tool.forAnyAgent === true,
    ).map((tool) => tool.name)
    for (const { name } of ALL_TOOLS.filter((tool) => !open.includes(tool.name))) {
      const refused = await tree.refusal(name, {}, { as: 'dev' })
      expect(refused, name).toMatchObject({
        code: 'NOT_ALLOWED',
        error: expect.stringContaining('leave out --as'),
      })
    }
  })

  it('is refused where a command is of the whole repository, and nothing is done', async () => {
    const own = COMMANDS.filter(({ personOnly }) => personOnly === true).map(({ name }) => name)
    expect(own).toContain('console')
    const more: Record<string, string[]> = {
      backup: ['tree.tar.gz'],
      restore: ['tree.tar.gz'],
      daemon: ['stop'],
      store: ['list'],
      config: ['check'],
      completion: ['bash'],
    }
    await Promise.all(
      own.map(async (name) => {
        const ran = await tree.run(['--as', 'dev', name, ...(more[name] ?? [])])
        expect(ran, name).toMatchObject({
          code: 2,
          stdout: '',
          stderr: expect.stringContaining(`--as dev: ${name} is nothing that an agent could do`),
        })
      }),
    )
    await rests('dev')
  })
})

describe('without a good token', () => {
  it('the owner gets to know where it was looked for', async () => {
    const elsewhere = join(tree.repository.folder, 'elsewhere')
    const env = { XDG_STATE_HOME: elsewhere }
    const ran = await tree.command(['tree', '--json'], { env })
    expect(ran.json).toMatchObject({
      code: 'UNAUTHORIZED',
      folder: join(elsewhere, 'exomonad'),
      error: expect.stringMatching(/not in .*elsewhere.*XDG_STATE_HOME/),
    })
    expect(existsSync(elsewhere)).toBe(false)
    const { findings } = (await tree.command(['doctor', '--json'], { env })).json
    expect(
      findings.find(({ subject }: { subject: string }) => subject === 'owner token'),
    ).toMatchObject({
      status: 'problem',
      found: `it is not in ${join(elsewhere, 'exomonad')}`,
    })
  })

  it('the owner gets to know whose token the daemon has where it is another', async () => {
    const elsewhere = join(tree.repository.folder, 'another')
    const env = { XDG_STATE_HOME: elsewhere }
    const own = join(tree.repository.env['XDG_STATE_HOME'] ?? '', 'exomonad')
    const [name = ''] = readdirSync(own).filter((file) => file.endsWith('.token'))
    mkdirSync(join(elsewhere, 'exomonad'), { recursive: true })
    writeFileSync(join(elsewhere, 'exomonad', name), `${'0'.repeat(64)}\n`)
    for (const args of [['tree'], ['send', 'dev', 'Hello'], ['log'], ['events'], ['down']])
      expect((await tree.run([...args, '--json'], { env })).json, args.join(' ')).toMatchObject({
        code: 'UNAUTHORIZED',
        pid: await tree.daemonPid(),
        folder: join(elsewhere, 'exomonad'),
        daemon_folder: own,
        error: expect.stringContaining('with another HOME or XDG_STATE_HOME'),
      })
    // One that was lost and made anew.
    const token = readFileSync(join(own, name))
    writeFileSync(join(own, name), `${'0'.repeat(64)}\n`)
    expect((await tree.command(['tree', '--json'])).json).toMatchObject({
      code: 'UNAUTHORIZED',
      error: expect.stringMatching(/was made after it had started\. Run `exomonad daemon stop`/),
    })
    writeFileSync(join(own, name), token)
    expect((await tree.command(['tree', '--json'])).code).toBe(0)
    rmSync(elsewhere, { recursive: true })
  })

  it('nobody in an agent is the owner: whether it is missing, empty, wrong or in a file that is gone', async () => {
    const { id, worktree } = agent('dev')
    for (const env of [
      { EXOMONAD_AGENT_ID: id },
      { EXOMONAD_AGENT_ID: id, EXOMONAD_TOKEN: '' },
      { EXOMONAD_AGENT_ID: id, EXOMONAD_TOKEN: 'f'.repeat(64), EXOMONAD_SOCKET: socket },
      { EXOMONAD_AGENT_ID: id, EXOMONAD_AUTH_FILE: join(tree.state, 'auth', 'none') },
    ]) {
      // From the root’s worktree, where the same command without these variables is the owner’s.
      expect(
        await tree.command(['kill', 'dev', '--json'], { env }),
        JSON.stringify(env),
      ).toMatchObject({ code: 1, json: { code: 'NOT_ALLOWED' } })
    }
    mkdirSync(join(worktree, 'deep', 'er'), { recursive: true })
    const commands = [
      ['tree'],
      ['kill', 'dev'],
      ['pr', 'list'],
      ['events'],
      ['call', 'down'],
      ['trust'],
      ['init'],
      ['deinit'],
      ['daemon', 'stop'],
    ]
    const runs = commands.map(async (argv) => {
      const result = await tree.run([...argv, '--json'], { cwd: join(worktree, 'deep', 'er') })
      expect(result, argv.join(' ')).toMatchObject({ code: 1 })
      expect(result.stdout, argv.join(' ')).toContain('NOT_ALLOWED')
    })
    await Promise.all(runs)
    await rests('dev')
  })

  it('nobody is it in a worktree that lost its .git file, nor where the checks run', async () => {
    const { worktree } = agent('dev')
    const checks = join(tree.repository.path, '.exomonad', 'ci', 'run-1', 'tree')
    mkdirSync(checks, { recursive: true })
    rmSync(join(worktree, '.git'))
    for (const cwd of [worktree, checks]) {
      expect(await tree.command(['kill', 'dev', '--json'], { cwd }), cwd).toMatchObject({
        code: 1,
        json: { code: 'NOT_ALLOWED' },
      })
    }
    await rests('dev')
  })
})
