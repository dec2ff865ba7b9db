import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient, type Client } from '../../../src/surfaces/client.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { LEAVING_CLIENTS, overHttp } from '../../helpers/terminals/leaving-clients.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Sending and waiting through the real daemon. `lead` is a subtree’s agent, `asker` and `other` are
 * workers below it.
 */

const LONG = 'x'.repeat(6_000_000)
const PATIENT = { limit: 60_000 }

let tree: Exomonad
let socket: string
const ids: Record<string, string> = {}
let turn = 0

const tokenOf = (name: string): string =>
  readFileSync(join(tree.state, 'auth', ids[name] ?? ''), 'utf8').trim()
const as = (name: string): Client => createClient({ socket, token: tokenOf(name) })
const call = <Result = any>(name: string, tool: string, input: unknown = {}): Promise<Result> =>
  as(name).callTool(tool, input) as Promise<Result>
const refusal = (name: string, tool: string, input: unknown) =>
  call(name, tool, input).then(
    (answer) => Promise.reject(new Error(`${tool} answered ${JSON.stringify(answer)}`)),
    (error: { code: string; message: string }) => ({ code: error.code, message: error.message }),
  )
const isWaiting = (name: string) =>
  waitFor(`${name} to wait`, async () => (await tree.agent(name)).state_reason === 'wait', PATIENT)
const isIdle = (name: string) =>
  waitFor(
    `${name} to be idle`,
    async () =>
      tree.log(name).at(-1)?.['answer']?.decision === 'allow' &&
      (await tree.agent(name)).state === 'idle',
    PATIENT,
  )
const notices = (name: string): number =>
  tree
    .log(name)
    .filter((entry) => entry['kind'] === 'message' && /call check_mail/.test(String(entry['text'])))
    .length
const boxOf = async (name: string): Promise<{ message: string }[]> =>
  (await tree.call('check_mail', { peek: true }, { as: name })).messages
const mark = (): string => `letter ${++turn}.`

beforeAll(async () => {
  tree = await startExomonad()
  socket = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
  const lead = await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
  ids['lead'] = lead.agent_id
  await tree.logged('lead', 'its start', (entry) => entry['kind'] === 'ready')
  await hire('asker', 'other')
}, 120_000)
afterAll(() => tree?.stop())

/** Workers below lead, at rest. */
async function hire(...names: string[]): Promise<void> {
  const { spawned } = await tree.call(
    'spawn_workers',
    { specs: names.map((name) => ({ name, prompt: 'Wait' })) },
    { as: 'lead' },
  )
  for (const agent of spawned) ids[agent.name] = agent.agent_id
  for (const name of names)
    await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
}

describe('send and wait', () => {
  it(
    verifies(
      'R000-06',
      'answers an agent as it answers a person; the agent it goes to is notified of mail by the one, and given the words by the other',
    ),
    async () => {
      await isIdle('asker')
      const letter = mark()
      expect(await call('other', 'send', { to: 'asker', message: letter })).toEqual({
        status: 'sent',
        to: ids['asker'],
      })
      await waitFor('the notice', () => notices('asker') === 1, PATIENT)
      expect(JSON.stringify(tree.log('asker'))).not.toContain(letter)
      await isIdle('asker')
      const words = mark()
      expect(await tree.call('send', { to: 'asker', message: words })).toEqual({
        status: 'sent',
        to: ids['asker'],
      })
      await tree.logged(
        'asker',
        'the words',
        (entry) => entry['kind'] === 'message' && String(entry['text']).includes(words),
      )
      expect(await call('asker', 'wait', { timeout: 0 })).toEqual({
        from: ids['other'],
        name: 'other',
        message: letter,
      })
      expect(await call('asker', 'wait', { timeout: 0 })).toEqual({ status: 'timeout' })
    },
  )

  it(
    verifies(
      'R000-13',
      'returns with the message when it comes; its agent is seen to wait, and is not notified of mail besides',
    ),
    async () => {
      await isIdle('asker')
      const before = notices('asker')
      const waiting = call('asker', 'wait', { timeout: 600 })
      await isWaiting('asker')
      const letter = mark()
      await call('lead', 'send', { to: 'asker', message: letter })
      expect(await waiting).toEqual({ from: ids['lead'], name: 'lead', message: letter })
      expect((await tree.agent('asker')).unread).toBe(0)
      expect((await tree.agent('asker')).state_reason).not.toBe('wait')
      expect(notices('asker')).toBe(before)
    },
  )

  it(
    verifies('R001-06', 'gathers completion messages of children, with what they did'),
    async () => {
      await isIdle('asker')
      await isIdle('other')
      await call('lead', 'check_mail')
      expect(
        (await call('lead', 'wait', { timeout: 600, from_agents: ['other', 'asker'] })).results.map(
          ({ status }: any) => status,
        ),
      ).toEqual(['idle', 'idle'])
      for (const name of ['asker', 'other']) await as(name).hook('prompt', {})
      const waiting = call('lead', 'wait', {
        timeout: 600,
        from_agents: ['other', 'asker', ids['other']],
      })
      await waitFor(
        'it to be seen for whom it waits',
        async () => (await tree.agent('lead')).waiting_for?.length === 2,
        PATIENT,
      )
      expect(
        (await call('lead', 'fan_in', { from_agents: ['asker', 'other'] })).results.map(
          ({ status }: any) => status,
        ),
      ).toEqual(['running', 'running'])
      const success = JSON.stringify({ status: 'idle', success: true, summary: 'all of it' })
      const failure = JSON.stringify({
        status: 'idle',
        success: false,
        error: 'no disk',
        partial: 'half',
      })
      await call('asker', 'send', { to: ids['lead'], message: success })
      await call('other', 'send', { to: 'lead', message: failure })
      expect((await waiting).results).toEqual([
        { agent_id: ids['other'], name: 'other', status: 'received', message: failure },
        { agent_id: ids['asker'], name: 'asker', status: 'received', message: success },
      ])
      expect((await tree.agent('lead')).waiting_for).toBeNull()
      for (const name of ['asker', 'other']) await as(name).hook('stop', {})
      expect((await tree.agent('asker')).outcome).toMatchObject({
        success: true,
        summary: 'all of it',
      })
      expect((await tree.agent('other')).outcome).toMatchObject({
        success: false,
        error: 'no disk',
        partial: 'half',
      })
    },
  )

  it('refuses whom it can’t be for, in words that say what to do: every tool, whoever is meant', async () => {
    await isIdle('asker')
    await hire('twin', 'late')
    await call('lead', 'kill', { agent: 'late' })
    const [twin] = (await tree.call('spawn_workers', { specs: [{ name: 'twin', prompt: 'Wait' }] }))
      .spawned
    const whom = {
      unknown: 'nemo',
      ambiguous: 'twin',
      dead: 'late',
      self: 'lead',
      empty: ' ',
      root: 'root',
    }
    const tools: [tool: string, use: (address: string) => Promise<unknown>, ...notOf: string[]][] =
      [
        ['kill', (agent) => call('lead', 'kill', { agent })],
        ['send', (to) => call('lead', 'send', { to, message: 'hi' })],
        ['wait', (one) => call('lead', 'wait', { timeout: 0, from_agents: [one] })],
        ['fan_in', (one) => call('lead', 'fan_in', { from_agents: [one] })],
        // These are for the one who calls: whom a person acts for.
        ['check_mail', (address) => tree.client(address).callTool('check_mail', { peek: true })],
        [
          'fork',
          (address) => tree.client(address).callTool('fork', { name: 'never', prompt: 'Nothing' }),
          'self',
          'root',
        ],
      ]
    const codeOf = (answer: Promise<unknown>): Promise<string> =>
      answer.then(
        () => 'answers',
        (error: { code: string }) => error.code,
      )
    const found: Record<string, Record<string, string>> = {}
    for (const [tool, use, ...notOf] of tools) {
      const cases = Object.entries(whom).filter(([what]) => !notOf.includes(what))
      found[tool] = Object.fromEntries(
        await Promise.all(cases.map(async ([what, address]) => [what, await codeOf(use(address))])),
      )
    }
    const unfound = {
      unknown: 'AGENT_NOT_FOUND',
      ambiguous: 'AMBIGUOUS_ID',
      empty: 'AGENT_NOT_FOUND',
    }
    expect(found).toEqual({
      kill: { ...unfound, dead: 'ALREADY_DEAD', self: 'NOT_A_CHILD', root: 'NOT_ALLOWED' },
      send: { ...unfound, dead: 'ALREADY_DEAD', self: 'INVALID_ARG', root: 'answers' },
      wait: { ...unfound, dead: 'answers', self: 'INVALID_ARG', root: 'answers' },
      fan_in: { ...unfound, dead: 'answers', self: 'INVALID_ARG', root: 'answers' },
      check_mail: { ...unfound, dead: 'NOT_ALLOWED', self: 'answers', root: 'answers' },
      fork: { ...unfound, dead: 'ALREADY_DEAD' },
    })
    for (const agent of [twin.agent_id, ids['twin']]) await tree.call('kill', { agent })
    const words: [caller: string, tool: string, input: unknown, code: string, said: string][] = [
      ['asker', 'wait', { timeout: 0, from_agents: [] }, 'INVALID_ARG', 'leave it out'],
      ['asker', 'wait', { timeout: 0, from_agents: ['asker'] }, 'INVALID_ARG', 'itself'],
      ['asker', 'wait', { timeout: -1 }, 'INVALID_ARG', 'timeout'],
      ['asker', 'send', { to: 'asker', message: 'hi' }, 'INVALID_ARG', 'yourself'],
      ['asker', 'send', { to: 'other', message: '' }, 'INVALID_ARG', 'message'],
      ['asker', 'send', { to: 'other', message: ' \n' }, 'INVALID_ARG', 'The message is empty.'],
      ['asker', 'check_mail', { peak: true }, 'INVALID_ARG', 'peek'],
      ['lead', 'kill', { agent: 'root' }, 'NOT_ALLOWED', 'exomonad down'],
      ['lead', 'kill', { agent: 'lead' }, 'NOT_A_CHILD', 'yourself'],
      ['lead', 'kill', { agent: '' }, 'INVALID_ARG', 'agent'],
      ['lead', 'fork', { name: '', prompt: 'x' }, 'INVALID_ARG', 'name'],
      ['lead', 'fork', { name: 'x', prompt: '' }, 'INVALID_ARG', 'prompt'],
    ]
    for (const [caller, tool, input, code, said] of words)
      expect(await refusal(caller, tool, input), `${tool} ${JSON.stringify(input)}`).toMatchObject({
        code,
        message: expect.stringContaining(said),
      })
  })
})

describe('mail for one that idles', () => {
  it(
    verifies(
      'R001-05',
      'is reported once per batch, by whom the first is, and by nobody’s words; the next batch is reported again',
    ),
    async () => {
      await isIdle('asker')
      await call('asker', 'check_mail')
      await isIdle('asker')
      const before = notices('asker')
      const letters = [mark(), mark(), mark()]
      for (const letter of letters) await call('other', 'send', { to: 'asker', message: letter })
      await call('lead', 'send', { to: 'asker', message: mark() })
      await waitFor('the notice', () => notices('asker') > before, PATIENT)
      await isIdle('asker')
      const reported = tree
        .log('asker')
        .filter(
          (entry) => entry['kind'] === 'message' && /call check_mail/.test(String(entry['text'])),
        )
      expect(reported.length - before).toBe(1)
      expect(reported.at(-1)?.['text']).toContain('other')
      for (const letter of letters) expect(reported.at(-1)?.['text']).not.toContain(letter)
      expect(
        (await call<{ messages: { message: string }[] }>('asker', 'check_mail')).messages
          .slice(0, 3)
          .map(({ message }) => message),
      ).toEqual(letters)
      await call('lead', 'send', { to: 'asker', message: mark() })
      await waitFor('the notice of the next batch', () => notices('asker') === before + 2, PATIENT)
      await call('asker', 'check_mail')
    },
  )
})

describe.each(LEAVING_CLIENTS)(
  'a client over %s that goes while its wait is answered',
  (_, client) => {
    it.each([
      ['anyone', {}],
      ['several', { from_agents: ['other'] }],
    ])('for %s: the mail is back in the box, and reported', async (_whom, more) => {
      await isIdle('asker')
      await call('asker', 'check_mail')
      await as('other').hook('prompt', {})
      const before = notices('asker')
      const letter = mark()
      const go = await client(
        { socket, token: tokenOf('asker'), cwd: tree.repository.path },
        'wait',
        { timeout: 600, ...more },
      )
      onTestFinished(go)
      await isWaiting('asker')
      await call('other', 'send', { to: 'asker', message: `${letter}${LONG}` })
      await waitFor('it to be taken', async () => (await boxOf('asker')).length === 0, PATIENT)
      go()
      await waitFor('the notice', () => notices('asker') > before, PATIENT)
      await as('other').hook('stop', {})
      const { messages } = await call<{ messages: { message: string }[] }>('asker', 'check_mail')
      expect(messages.map(({ message }) => message.slice(0, letter.length))).toEqual([letter])
    })
  },
)

describe('a wait that nobody waits for any more', () => {
  it.each(LEAVING_CLIENTS)('ends with its client over %s', async (_, client) => {
    await isIdle('asker')
    const go = await client(
      { socket, token: tokenOf('asker'), cwd: tree.repository.path },
      'wait',
      { timeout: 600 },
    )
    onTestFinished(go)
    await isWaiting('asker')
    go()
    await isIdle('asker')
  })

  it.each(['http', 'stdio'] as const)(
    'ends with its request, cancelled over MCP on %s; what comes later is reported',
    async (transport) => {
      await isIdle('asker')
      await call('asker', 'check_mail')
      const before = notices('asker')
      const { mcp: url } = (await tree.client().get('/healthz')) as { mcp: string }
      const client = await connectMcp('v2', transport, {
        url,
        socket,
        token: tokenOf('asker'),
        cwd: tree.repository.path,
      })
      onTestFinished(() => client.close())
      const controller = new AbortController()
      const refused = client.call('wait', { timeout: 600 }, { signal: controller.signal }).then(
        () => false,
        () => true,
      )
      await isWaiting('asker')
      controller.abort()
      expect(await refused).toBe(true)
      await isIdle('asker')
      const letter = mark()
      await call('other', 'send', { to: 'asker', message: letter })
      await waitFor('the notice', () => notices('asker') > before, PATIENT)
      expect((await call('asker', 'check_mail')).messages).toMatchObject([
        { name: 'other', message: letter },
      ])
    },
  )

  it('is forgotten by a daemon that is killed; mail that it had taken is back, and reported', async () => {
    await isIdle('asker')
    await isIdle('other')
    await call('asker', 'check_mail')
    const before = notices('asker')
    const letter = mark()
    onTestFinished(
      await overHttp({ socket, token: tokenOf('asker'), cwd: tree.repository.path }, 'wait', {
        timeout: 600,
      }),
    )
    onTestFinished(
      await overHttp({ socket, token: tokenOf('other'), cwd: tree.repository.path }, 'wait', {
        timeout: 600,
      }),
    )
    await isWaiting('asker')
    await isWaiting('other')
    await call('lead', 'send', { to: 'asker', message: `${letter}${LONG}` })
    await waitFor('it to be taken', async () => (await boxOf('asker')).length === 0, PATIENT)
    await tree.crash()
    await waitFor(
      'other to wait no more',
      async () => (await tree.agent('other')).state_reason !== 'wait',
      PATIENT,
    )
    await waitFor('the notice', () => notices('asker') > before, PATIENT)
    expect((await call('asker', 'wait', { timeout: 0 })).message.slice(0, letter.length)).toBe(
      letter,
    )
    expect(await call('asker', 'wait', { timeout: 0 })).toEqual({ status: 'timeout' })
    for (const name of ['asker', 'other']) await as(name).hook('stop', {})
  })
})

describe('mail under a daemon that is killed again and again', () => {
  it(
    verifies(
      'R000-10',
      'is answered in order, none of it lost, and again only what a kill came upon',
    ),
    async () => {
      await isIdle('other')
      await call('other', 'check_mail')
      const accepted: number[] = []
      const got: number[] = []
      let isOver = false
      const taking = (async () => {
        for (;;) {
          const { message } = await call('other', 'wait', {
            timeout: 600,
            ...(got.length % 2 === 0 ? {} : { from_agents: ['asker'] }),
          }).then(
            (answer) => ('results' in answer ? answer.results[0] : answer),
            () => ({}),
          )
          if (message === 'end') return void (isOver = true)
          if (message === undefined) await new Promise((resolve) => setTimeout(resolve, 20))
          else got.push(Number(message))
        }
      })()
      // It works on: a wait for it lasts until it writes.
      await as('asker').hook('prompt', {})
      for (let count = 0; count < 45; count++) {
        const sending = call('asker', 'send', { to: 'other', message: String(count) }).then(
          () => accepted.push(count),
          () => {},
        )
        if (count % 15 === 14) {
          await tree.crash()
          await tree.tree()
        }
        await sending
      }
      await call('asker', 'send', { to: 'other', message: 'end' })
      await waitFor('the last of them', () => isOver, PATIENT)
      await taking
      expect(accepted.filter((count) => !got.includes(count))).toEqual([])
      const once = [...new Set(got)]
      expect(once).toEqual(once.toSorted((left, right) => left - right))
      expect(got.length - once.length).toBeLessThanOrEqual(6)
      await as('asker').hook('stop', {})
    },
  )
})

describe('kill', () => {
  it(
    verifies(
      'R000-05',
      'ends an agent and all below it, children first, and their waits; the caller goes on',
    ),
    async () => {
      ids['middle'] = (
        await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'middle' }, { as: 'lead' })
      ).agent_id
      await tree.logged('middle', 'its start', (entry) => entry['kind'] === 'ready')
      const { spawned } = await tree.call(
        'spawn_workers',
        { specs: [{ name: 'leaf', prompt: 'Wait' }] },
        { as: 'middle' },
      )
      ids['leaf'] = spawned[0].agent_id
      await tree.logged('leaf', 'its start', (entry) => entry['kind'] === 'ready')
      await isIdle('leaf')
      const waits = [
        refusal('leaf', 'wait', { timeout: 600 }),
        refusal('middle', 'wait', { timeout: 600, from_agents: ['leaf'] }),
      ]
      await isWaiting('leaf')
      await waitFor(
        'middle to wait',
        async () => (await tree.agent('middle')).waiting_for?.length === 1,
        PATIENT,
      )
      const following = call('lead', 'wait', { timeout: 600, from_agents: ['leaf', 'middle'] })
      await waitFor(
        'lead to wait',
        async () => (await tree.agent('lead')).waiting_for?.length === 2,
        PATIENT,
      )
      expect(await call('lead', 'kill', { agent: 'middle' })).toEqual({
        killed: [ids['leaf'], ids['middle']],
      })
      expect((await following).results.map(({ name, status }: any) => [name, status])).toEqual([
        ['leaf', 'dead'],
        ['middle', 'dead'],
      ])
      for (const ended of await Promise.all(waits))
        expect(ended).toMatchObject({
          code: 'ALREADY_DEAD',
          message: expect.stringContaining('waits for nothing more'),
        })
      expect(await refusal('lead', 'kill', { agent: 'leaf' })).toMatchObject({
        code: 'ALREADY_DEAD',
      })
      expect(await refusal('lead', 'send', { to: 'leaf', message: 'hi' })).toMatchObject({
        code: 'ALREADY_DEAD',
      })
      expect(await call('lead', 'send', { to: 'asker', message: 'go on' })).toMatchObject({
        status: 'sent',
      })
    },
  )
})
