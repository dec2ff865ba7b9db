import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createClient } from '../../../src/surfaces/client.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import {
  LEAVING_CLIENTS,
  overHttp,
  type LeavingClient,
} from '../../helpers/terminals/leaving-clients.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * Clients that go in the middle of an answer. What they were being sent is longer than a connection
 * holds, so they certainly have not got it whole.
 */

const LONG = 'x'.repeat(6_000_000)

let tree: Exomonad
let token: string
let tokens: string[]
let socket: string
let turn = 0

beforeAll(async () => {
  tree = await startExomonad()
  socket = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8')).socket
  const { spawned } = await tree.call('spawn_workers', {
    specs: [
      { name: 'asker', prompt: 'Wait' },
      { name: 'other', prompt: 'Wait' },
    ],
  })
  tokens = spawned.map((agent: any) =>
    readFileSync(join(tree.state, 'auth', agent.agent_id), 'utf8').trim(),
  )
  token = tokens[0] ?? ''
  for (const name of ['asker', 'other'])
    await tree.logged(name, 'its start', (entry) => entry['kind'] === 'ready')
})
afterAll(() => tree?.stop())

const settled = () =>
  waitFor(
    'asker to be idle',
    async () =>
      tree.log('asker').at(-1)?.['answer']?.decision === 'allow' &&
      (await tree.agent('asker')).state === 'idle',
  )
const isWaiting = () =>
  waitFor('asker to wait', async () => (await tree.agent('asker')).state === 'waiting')
const messages = (text: string): unknown[] =>
  tree
    .log('asker')
    .filter((entry) => entry['kind'] === 'message' && String(entry['text']).includes(text))
const answered = async (text: string): Promise<string[]> =>
  (await tree.events()).flatMap(({ type, payload }) =>
    type === 'question.answered' && payload.answer.startsWith(text) ? [payload.delivered_by] : [],
  )
const notices = (): number => messages('call check_mail').length
const mark = (): string => `answer ${++turn} `

const call = (client: LeavingClient, tool: string, input: unknown) =>
  client({ socket, token, cwd: tree.repository.path }, tool, input)

describe.each(LEAVING_CLIENTS)('a client over %s that goes while it is answered', (_, client) => {
  it(verifies('R004-14', 'has the answer to its question as a message, once'), async () => {
    await settled()
    const answer = mark()
    const go = await call(client, 'question', { message: 'which one?' })
    onTestFinished(go)
    await isWaiting()
    expect(
      await tree.call('answer_question', { agent: 'asker', message: `${answer}${LONG}` }),
    ).toMatchObject({ status: 'delivered' })
    go()
    await waitFor('the message', () => messages(answer).length === 1)
    expect(await answered(answer)).toEqual(['message'])
    await settled()
    expect(messages(answer)).toHaveLength(1)
  })

  it('has its mail back in the box, and is notified of it', async () => {
    await settled()
    const letter = mark()
    const before = notices()
    await createClient({ socket, token: tokens[1] ?? '' }).callTool('send', {
      to: 'asker',
      message: `${letter}${LONG}`,
    })
    await waitFor('the notice', () => notices() === before + 1)
    await settled()
    const go = await call(client, 'check_mail', {})
    onTestFinished(go)
    await waitFor(
      'it to be taken',
      async () =>
        (await tree.call('check_mail', { peek: true }, { as: 'asker' })).messages.length === 0,
    )
    go()
    await waitFor('another notice', () => notices() === before + 2)
    const { messages: mails } = await tree.call('check_mail', {}, { as: 'asker' })
    expect(mails).toHaveLength(1)
    expect(mails[0].message.startsWith(letter)).toBe(true)
  })
})

describe('a client that gets its answer', () => {
  it.each(['http', 'stdio'] as const)('whole over MCP on %s gets it once', async (transport) => {
    await settled()
    const answer = mark()
    const { mcp: url } = (await tree.client().get('/healthz')) as { mcp: string }
    const client = await connectMcp('v2', transport, {
      url,
      socket,
      token,
      cwd: tree.repository.path,
    })
    const asked = client.call('question', { message: 'which one?' })
    await isWaiting()
    await tree.call('answer_question', {
      agent: 'asker',
      message: `${answer}${LONG.slice(0, 100_000)}`,
    })
    expect((await asked).structuredContent).toMatchObject({ status: 'answered' })
    await waitFor('the note of it', async () => (await answered(answer)).length === 1)
    await client.close()
    await settled()
    expect(await answered(answer)).toEqual(['tool'])
    expect(messages(answer)).toEqual([])
  })
  it('whole as a stream over HTTP gets it once', async () => {
    await settled()
    const answer = mark()
    const asked = createClient({ socket, token }).callTool(
      'question',
      { message: 'which one?' },
      { progress: () => {} },
    )
    await isWaiting()
    await tree.call('answer_question', { agent: 'asker', message: `${answer}${LONG}` })
    expect(await asked).toMatchObject({ status: 'answered' })
    await waitFor('the note of it', async () => (await answered(answer)).length === 1)
    await settled()
    expect(await answered(answer)).toEqual(['tool'])
    expect(messages(answer)).toEqual([])
  })
})

describe('a daemon that is killed in the middle of an answer', () => {
  it(
    verifies(
      'R004-14',
      'delivers it as a message after its start, and has the mail back in the box',
    ),
    async () => {
      await settled()
      const answer = mark()
      const letter = mark()
      const before = notices()
      await createClient({ socket, token: tokens[1] ?? '' }).callTool('send', {
        to: 'asker',
        message: `${letter}${LONG}`,
      })
      await waitFor('the notice', () => notices() === before + 1)
      await settled()
      onTestFinished(await call(overHttp, 'question', { message: 'which one?' }))
      await isWaiting()
      onTestFinished(await call(overHttp, 'check_mail', {}))
      await waitFor(
        'it to be taken',
        async () =>
          (await tree.call('check_mail', { peek: true }, { as: 'asker' })).messages.length === 0,
      )
      await tree.call('answer_question', { agent: 'asker', message: `${answer}${LONG}` })
      expect(await answered(answer)).toEqual([])
      await tree.crash()
      await waitFor(
        'the message',
        async () => messages(answer).length === 1 || (await tree.tree().then(() => false)),
      )
      expect(await answered(answer)).toEqual(['message'])
      const { messages: mails } = await tree.call('check_mail', {}, { as: 'asker' })
      expect(
        mails.map(({ message }: { message: string }) => message.slice(0, letter.length)),
      ).toEqual([letter])
    },
  )
})
