import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** The tools over MCP to a client that shares no code with the official SDKs. */

let tree: Exomonad
const tokens: Record<string, string> = {}

beforeAll(async () => {
  tree = await startExomonad({
    config:
      '[agents.narrow]\nadapter = "command"\ncommand = ["sleep", "1000"]\ntools = ["note", "merge_pr", "spawn_workers"]\n',
  })
  for (const [name, agent] of [
    ['dev', 'scripted'],
    ['narrow', 'narrow'],
  ]) {
    const { spawned } = await tree.call('spawn_workers', {
      specs: [{ name, prompt: 'Wait', agent }],
    })
    tokens[name as string] = readFileSync(
      join(tree.state, 'auth', spawned[0].agent_id),
      'utf8',
    ).trim()
  }
})
afterAll(() => tree?.stop())

const open = async (agent: string, transport: 'http' | 'stdio', discovery: boolean) => {
  const token = tokens[agent] ?? ''
  const { mcp: url } = await tree.client().get<{ mcp: string }>('/healthz')
  const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
  const client = await createMCPClient({
    protocolVersionDiscovery: discovery,
    transport:
      transport === 'http'
        ? { type: 'http', url, headers: { authorization: `Bearer ${token}` } }
        : new StdioMCPTransport({
            command: process.execPath,
            args: [BIN, 'mcp'],
            env: {
              PATH: process.env['PATH'] ?? '',
              EXOMONAD_SOCKET: socket,
              EXOMONAD_TOKEN: token,
            },
            cwd: tree.repository.path,
          }),
  })
  onTestFinished(() => client.close())
  return client
}

describe.each([
  { transport: 'http', discovery: true },
  { transport: 'http', discovery: false },
  { transport: 'stdio', discovery: true },
  { transport: 'stdio', discovery: false },
] as const)(
  'a third party’s client over $transport (discovery: $discovery)',
  ({ transport, discovery }) => {
    it('lists the tools of its role and calls them', async () => {
      const client = await open('dev', transport, discovery)
      expect(client.serverInfo.name).toBe('exomonad')
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name)).toEqual(
        ALL_TOOLS.filter((tool) => tool.listed && tool.audience.includes('dev')).map(
          ({ name }) => name,
        ),
      )
      const text = `from ${transport} ${String(discovery)} äöü 日本`
      expect(await client.callTool({ name: 'note', arguments: { message: text } })).toMatchObject({
        structuredContent: { status: 'sent' },
      })
      expect(
        (await tree.events()).filter(
          ({ type, payload }) => type === 'note' && payload.message === text,
        ),
      ).toHaveLength(1)
    })

    it('reads errors as results, and waits for an answer', async () => {
      const client = await open('dev', transport, discovery)
      expect(
        await client.callTool({ name: 'merge_pr', arguments: { pr_number: 1 } }),
      ).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: expect.stringContaining('NOT_ALLOWED') }],
      })
      const message = `which, ${transport} ${String(discovery)}?`
      const asked = client.callTool({ name: 'question', arguments: { message } })
      const id = await waitFor('the question', async () =>
        (await tree.events()).find(
          ({ type, payload }) => type === 'question.asked' && payload.message === message,
        ),
      )
      await tree.call('answer_question', {
        agent: 'dev',
        message: 'left',
        question_id: id.payload.question_id,
      })
      expect(await asked).toMatchObject({
        structuredContent: { status: 'answered', answer: 'left' },
      })
    })

    it('sees of its role’s tools only those it was given', async () => {
      const client = await open('narrow', transport, discovery)
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual([
        'note',
        'read_message',
      ])
      for (const name of ['question', 'spawn_workers', 'merge_pr'])
        expect(await client.callTool({ name, arguments: {} })).toMatchObject({ isError: true })
      expect(
        await client.callTool({ name: 'note', arguments: { message: 'narrow' } }),
      ).toMatchObject({ structuredContent: { status: 'sent' } })
    })
  },
)

it('teaches an agent only the tools it was given', async () => {
  const narrow = await tree.agent('narrow')
  const prompt = readFileSync(join(tree.state, 'prompts', `${narrow.id}.md`), 'utf8')
  expect(prompt).toContain('- note: ')
  expect(prompt).not.toContain('- question: ')
})
