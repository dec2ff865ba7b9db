import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/surfaces/client.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { connectMcp, TRANSPORTS, type ToolResult } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * What a person writes beside an agent for a child to be, by the command line and the tools of the
 * same names.
 */

const PEOPLES = ['cancel', 'capture', 'fork_capture', 'reap', 'scrollback']

let tree: Exomonad
const agents: Record<string, { id: string; token: string }> = {}
const agent = (name: string) => agents[name] ?? { id: '', token: '' }
const socket = (): string =>
  JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
const started = (name: string) =>
  tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
/** What a command prints with --json, acting for an agent. */
const capture = async (as: string, ...args: string[]): Promise<any> =>
  (await tree.command(['capture', ...args, '--as', as, '--json'])).json
const shown = (as: string): Promise<any> => tree.client().callTool('scrollback', { agent: as })
const kindsOf = async (as: string): Promise<string[]> =>
  (await shown(as)).entries.map((entry: { kind: string }) => entry.kind)

async function allEvents(): Promise<string> {
  const seen = []
  for await (const event of tree.client().events({ follow: false })) seen.push(event)
  return JSON.stringify(seen)
}

/** A file may go while they are looked through. */
const textOf = (path: string): string => {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}

/**
 * Files of the daemon, but for its store and the backups of that, that hold a text; and everything
 * that the agent, its terminal and the event log were given.
 */
async function whereIs(text: string, name: string): Promise<string[]> {
  const visible = {
    log: JSON.stringify(tree.log(name)),
    screen: (await tree.command(['logs', name])).stdout,
    events: await allEvents(),
    mail: JSON.stringify(await tree.call('check_mail', { peek: true }, { as: name })),
    tree: JSON.stringify(await tree.client().callTool('tree', {})),
  }
  const files = readdirSync(tree.state, { recursive: true, withFileTypes: true }).filter(
    (entry) =>
      entry.isFile() &&
      !entry.name.startsWith('store.db') &&
      !entry.parentPath.startsWith(join(tree.state, 'backups')),
  )
  return [
    ...files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => textOf(path).includes(text)),
    ...Object.entries(visible).flatMap(([place, held]) => (held.includes(text) ? [place] : [])),
  ]
}

beforeAll(async () => {
  tree = await startExomonad()
  tree.script('lead', { steps: [{ do: 'print', text: 'one\r\ntwo\r\nthree' }] })
  const { agent_id: id } = await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
  const { spawned } = await tree.call('spawn_workers', { specs: [{ name: 'dev', prompt: 'Wait' }] })
  for (const [name, agentId] of [
    ['lead', id],
    ['dev', spawned[0].agent_id],
  ]) {
    agents[name] = {
      id: agentId,
      token: readFileSync(join(tree.state, 'auth', agentId), 'utf8').trim(),
    }
    await started(name)
  }
  // What it prints comes after its start.
  await waitFor('its words', async () =>
    (await tree.client().call('screen', { agent: 'lead' })).text.includes('three'),
  )
})
afterAll(() => tree?.stop())

describe('what only people do', () => {
  it(
    verifies('R000-02', 'is in no agent’s list of tools, nor in that of the owner’s own agent'),
    async () => {
      const names = async (
        client: { get: ReturnType<typeof createClient>['get'] },
        path = '/v1/tools',
      ): Promise<string[]> =>
        (await client.get<{ tools: { name: string }[] }>(path)).tools
          .map(({ name }) => name)
          .filter((name) => PEOPLES.includes(name))
      for (const { token } of Object.values(agents)) {
        expect(await names(createClient({ socket: socket(), token }))).toEqual([])
        expect(
          await names(createClient({ socket: socket(), token }), '/v1/tools?all=true'),
        ).toEqual([])
      }
      expect(await names(tree.client())).toEqual([])
      expect(await names(tree.client(), '/v1/tools?all=true')).toEqual(PEOPLES)
      const { mcp: url } = await tree.client().get<{ mcp: string }>('/healthz')
      for (const transport of TRANSPORTS) {
        const client = await connectMcp('v2', transport, {
          url,
          socket: socket(),
          token: agent('lead').token,
          cwd: tree.repository.path,
        })
        onTestFinished(() => client.close())
        expect(
          (await client.list()).map(({ name }) => name).filter((name) => PEOPLES.includes(name)),
        ).toEqual([])
        for (const name of PEOPLES) {
          const refused: ToolResult = await client.call(name, {})
          expect(JSON.parse(refused.content[0]?.text ?? 'null'), name).toMatchObject({
            code: 'NOT_ALLOWED',
          })
        }
      }
    },
  )

  it(
    verifies(
      'R000-02',
      'is refused to agents of every role over HTTP and on the command line, also in somebody else’s name',
    ),
    async () => {
      for (const [name, { id, token }] of Object.entries(agents)) {
        for (const tool of PEOPLES) {
          for (const as of [undefined, 'main', name]) {
            await expect(
              createClient({ socket: socket(), token, as }).callTool(tool, {}),
              `${name} ${tool} ${as}`,
            ).rejects.toMatchObject({ code: 'NOT_ALLOWED' })
          }
        }
        const env = { EXOMONAD_AGENT_ID: id, EXOMONAD_TOKEN: token, EXOMONAD_SOCKET: socket() }
        for (const args of [
          ['capture', 'start'],
          ['capture', 'show'],
          ['capture', 'fork', '--as', 'main'],
          ['reap'],
        ]) {
          expect(await tree.run([...args, '--json'], { env }), args.join(' ')).toMatchObject({
            code: 1,
            json: { code: 'NOT_ALLOWED' },
          })
        }
      }
      for (const name of ['main', 'lead', 'dev'])
        expect(await shown(name)).toMatchObject({ entries: [], capture_lines: null })
    },
  )
})

describe('a capture', () => {
  it(
    verifies(
      'R000-16',
      'keeps its lines beside the agent, who gets nothing, and becomes the prompt of its child',
    ),
    async () => {
      const secret = 'zebra-enumeration'
      expect(await capture('lead', 'start')).toEqual({ agent_id: agent('lead').id, lines: 0 })
      expect(await capture('lead', 'add', secret, 'of', 'all files,')).toMatchObject({ lines: 1 })
      const piped = await tree.command(['capture', 'add', '-', '--as', 'lead'], {
        input: 'count their words\n\n  and sum up\n',
      })
      expect(piped).toMatchObject({ code: 0, stdout: '✓ 4 lines captured for a child of lead\n' })
      expect((await tree.command(['capture', 'show', '--as', 'lead'])).stdout).toBe(
        `${secret} of all files,\ncount their words\n\n  and sum up\n`,
      )
      const { entries, capture_lines: lines } = await shown('lead')
      expect(lines).toBe(4)
      expect(entries.map(({ kind, text }: { kind: string; text: string }) => [kind, text])).toEqual(
        [
          ['capture-begin', ''],
          ['capture', `${secret} of all files,`],
          ['capture', 'count their words'],
          ['capture', ''],
          ['capture', '  and sum up'],
        ],
      )
      const text: string = (await tree.client().call('screen', { agent: 'lead', lines: 20_000 }))
        .text
      expect(text).toMatch(/one\s+two\s+three/)
      expect(entries.at(-1).line).toBe(text.trimEnd().split('\n').length)
      expect(await whereIs(secret, 'lead')).toEqual([])

      const child = await capture('lead', 'fork', 'counter', '--context', 'fresh')
      expect(child).toMatchObject({ name: 'counter', captured: true, context: 'fresh' })
      const start = await tree.logged(
        'counter',
        'its start',
        (entry) => entry['kind'] === 'started',
      )
      expect(readFileSync(start['argv'][0], 'utf8')).toContain(
        `${secret} of all files,\ncount their words\n\n  and sum up`,
      )
      expect((await shown('lead')).capture_lines).toBeNull()
      expect((await shown('lead')).entries.slice(0, -1)).toEqual(entries)
      expect((await shown('lead')).entries.at(-1)).toMatchObject({
        kind: 'capture-fork',
        text: `counter ${child.agent_id}`,
      })
      // Only the child's own, of which the tree shows the task.
      expect(
        (await whereIs(secret, 'lead')).filter(
          (place) => place !== 'tree' && !place.includes(child.agent_id),
        ),
      ).toEqual([])
      await tree.client().callTool('kill', { agent: 'counter' })
    },
  )

  it(
    verifies('R000-04', 'that was not begun, or holds nothing, makes a child that idles'),
    async () => {
      const idle = await tree.command([
        'capture',
        'fork',
        '--context',
        'fresh',
        '--as',
        'lead',
        '--json',
      ])
      expect(idle.json).toMatchObject({ name: 'fork-1', captured: false })
      await started('fork-1')
      await waitFor('it to idle', async () => (await tree.agent('fork-1')).state === 'idle', {
        limit: 60_000,
      })
      expect(await tree.agent('fork-1')).toMatchObject({
        parent_id: agent('lead').id,
        kind: 'fork',
        worktree: (await tree.agent('lead')).worktree,
      })
      expect(tree.log('fork-1').filter((entry) => entry['kind'] === 'message')).toEqual([])
      await tree.client().callTool('kill', { agent: 'fork-1' })
    },
  )

  it(
    verifies(
      'R000-16',
      'outlives the daemon that is killed in it, and still reaches nobody but the child',
    ),
    async () => {
      const secret = 'walrus-plan'
      await capture('dev', 'start')
      await capture('dev', 'add', `${secret} begun`)
      const before = (await shown('dev')).entries
      await tree.crash()
      expect((await capture('dev', 'add', 'and gone on with')).lines).toBe(2)
      const { entries } = await shown('dev')
      expect(entries.slice(0, -1)).toEqual(before)
      expect(entries.at(-1)).toMatchObject({ kind: 'capture', text: 'and gone on with' })
      expect(await whereIs(secret, 'dev')).toEqual([])
      // What is sent to the agent goes on beside it.
      await tree.client().callTool('send', { to: 'dev', message: 'something else' })
      await tree.logged(
        'dev',
        'the message',
        (entry) => entry['kind'] === 'message' && /something else/.test(entry['text']),
      )

      const given = await tree.command(['capture', 'cancel', '--as', 'dev'])
      expect(given).toMatchObject({ code: 0, stdout: expect.stringContaining('2 lines') as string })
      expect(await shown('dev')).toMatchObject({
        entries: [...entries, { kind: 'capture-cancel' }],
        capture_lines: null,
      })
      expect(await whereIs(secret, 'dev')).toEqual([])
      expect((await tree.command(['capture', 'show', '--as', 'dev'])).stdout).toBe(
        'No capture is open for a child of dev\n',
      )
    },
  )

  it('is opened once, takes no line where none is open, and no more than a prompt can be', async () => {
    const call = (tool: string, input: object = {}): Promise<any> =>
      tree.client().callTool(tool, input)
    await expect(call('capture', { begin: false, text: 'x' })).rejects.toMatchObject({
      code: 'INVALID_ARG',
      message: expect.stringContaining('capture start') as string,
    })
    await expect(call('cancel')).rejects.toMatchObject({ code: 'INVALID_ARG' })
    expect(await tree.command(['capture', 'add', 'x'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No capture is open') as string,
    })
    expect(await call('capture', { text: 'first\nsecond' })).toMatchObject({ lines: 2 })
    expect(await call('capture')).toMatchObject({ lines: 2 })
    expect(await kindsOf('main')).toEqual(['capture-begin', 'capture', 'capture'])
    for (const text of ['x'.repeat(100_000), '\n'.repeat(2000)]) {
      await expect(call('capture', { text })).rejects.toMatchObject({
        code: 'INVALID_ARG',
        message: expect.stringContaining('Nothing of this was added') as string,
      })
    }
    // It is the root's, which has no program and no terminal here.
    expect((await shown('main')).entries.map((entry: { line: number }) => entry.line)).toEqual([
      0, 0, 0,
    ])
    const hostile = await tree.command([
      'capture',
      'add',
      'a\u001b[31mred\u001b]0;title\u0007\u202eb\u009b1m',
    ])
    expect(hostile).toMatchObject({ code: 0 })
    expect((await tree.command(['capture', 'show'])).stdout).toBe('first\nsecond\naredb\n')
    expect((await tree.command(['capture', 'start'])).stdout).toBe(
      '✓ A capture for a child of the root is open, with 3 lines already\n',
    )
    expect((await call('cancel')).lines).toBe(3)
    for (const args of [
      ['capture', 'cancel'],
      ['capture', 'add'],
      ['capture', 'add', '-'],
    ])
      expect((await tree.run(args)).code, args.join(' ')).not.toBe(0)
  })
})
