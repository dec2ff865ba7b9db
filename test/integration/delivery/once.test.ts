import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import Database from 'better-sqlite3'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { KEYED } from '../../../src/surfaces/cli/tool-specs.ts'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { SCRIPTED_ACP } from '../../helpers/acp-tree.ts'
import { crashAt } from '../../helpers/crash-at.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { BIN } from '../../helpers/programs.ts'
import { connectMcp } from '../../helpers/mcp-clients.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * What is asked for under an idempotency key is done once: asked for twice, at the same time, and
 * after a daemon that was killed in the middle.
 */

const ask = async (
  tree: Exomonad,
  tool: string,
  input: unknown,
  key?: string,
): Promise<{ status: number; body: any }> => {
  const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
  const token = readFileSync(join(tree.state, 'auth', (await tree.agent('one')).id), 'utf8').trim()
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    ...(key === undefined ? {} : { 'idempotency-key': key }),
  }
  return new Promise((resolve, reject) => {
    const sent = request(
      { socketPath: socket, path: `/v1/tools/${tool}`, method: 'POST', headers },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }),
        )
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify(input))
  })
}
const notes = async (tree: Exomonad, words: string): Promise<number> =>
  (await tree.events()).filter(({ type, payload }) => type === 'note' && payload.message === words)
    .length

let tree: Exomonad
beforeAll(async () => {
  tree = await startExomonad({
    config: `[acp.script]\ncommand = ${JSON.stringify([process.execPath, SCRIPTED_ACP])}\n[headless]\nacp = "script"\n`,
  })
  await tree.call('spawn_workers', {
    specs: ['one', 'two'].map((name) => ({ name, prompt: 'x' })),
  })
  await waitFor(
    'both to idle',
    async () =>
      (await tree.agent('one')).state === 'idle' && (await tree.agent('two')).state === 'idle',
  )
})
afterAll(() => tree?.stop())

describe('an idempotency key', () => {
  it('in the header or the field: asked for again, the same answer and nothing done', async () => {
    const input = { message: 'noted once' }
    const first = await ask(tree, 'note', input, 'k-1')
    expect(first).toEqual({ status: 200, body: { status: 'sent' } })
    expect(await ask(tree, 'note', input, 'k-1')).toEqual(first)
    expect(await ask(tree, 'note', { ...input, idempotency_key: 'k-1' })).toEqual(first)
    expect(await notes(tree, 'noted once')).toBe(1)
    await ask(tree, 'note', input, 'k-2')
    await ask(tree, 'note', input)
    expect(await notes(tree, 'noted once')).toBe(3)
  })

  it('at the same time: one of them does it, all are answered', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => ask(tree, 'note', { message: 'at once' }, 'k-3')),
    )
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: { status: 'sent' } })))
    expect(await notes(tree, 'at once')).toBe(1)
  })

  it('is one call’s: another input, and what is no key, are refused; what was refused may be asked for again', async () => {
    await ask(tree, 'note', { message: 'one' }, 'k-8')
    expect(await ask(tree, 'note', { message: 'another' }, 'k-8')).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ARG', field: 'idempotency_key' },
    })
    expect(await ask(tree, 'note', { message: 'x', idempotency_key: 5 })).toMatchObject({
      status: 400,
      body: { code: 'INVALID_ARG' },
    })
    expect(await ask(tree, 'send', { to: 'late', message: 'x' }, 'k-4')).toMatchObject({
      body: { code: 'AGENT_NOT_FOUND' },
    })
    await tree.call('spawn_workers', { specs: [{ name: 'late', prompt: 'x' }] })
    expect(await ask(tree, 'send', { to: 'late', message: 'x' }, 'k-4')).toMatchObject({
      status: 200,
    })
    expect(await ask(tree, 'check_mail', { idempotency_key: 'k' })).toMatchObject({ status: 400 })
  })

  it('is MCP’s as well, in the header and in the field', async () => {
    const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
    const { mcp } = await tree.client().get<{ mcp: string }>('/healthz')
    const token = readFileSync(
      join(tree.state, 'auth', (await tree.agent('one')).id),
      'utf8',
    ).trim()
    const client = await connectMcp('v2', 'http', {
      url: mcp,
      socket,
      token,
      headers: { 'idempotency-key': 'k-6' },
    })
    onTestFinished(() => client.close())
    for (const more of [
      {},
      {},
      { idempotency_key: 'k-6' },
      { idempotency_key: 'k-7' },
      { idempotency_key: 'k-7' },
    ])
      expect((await client.call('note', { message: 'by MCP', ...more })).structuredContent).toEqual(
        { status: 'sent' },
      )
    expect(await notes(tree, 'by MCP')).toBe(2)
  })

  it('is taken by all that spawns, files and sends, is in OpenAPI, and the command line makes one for each', async () => {
    const keyed = ALL_TOOLS.filter((tool) => tool.keyed === true).map(({ name }) => name)
    expect(keyed.toSorted()).toEqual([...KEYED].toSorted())
    for (const { name, effect } of ALL_TOOLS)
      if (effect !== 'reads' && /^(?:spawn|fork$|send|note$|file_pr$|pr_review$)/.test(name))
        expect(keyed).toContain(name)
    const { paths, components } = await tree.client().get<any>('/openapi.json')
    for (const { name } of ALL_TOOLS) {
      const body =
        paths[`/v1/tools/${name}`].post.requestBody?.content['application/json'].schema ?? {}
      const { properties = {} } = components.schemas[body.$ref?.split('/').at(-1)] ?? body
      expect('idempotency_key' in properties, name).toBe(keyed.includes(name))
    }
  })

  it('holds across a restart, for mail too', async () => {
    const send = () => ask(tree, 'send', { to: 'two', message: 'mailed once' }, 'k-5')
    const first = await send()
    await tree.crash()
    await tree.command(['daemon', 'start'])
    expect(await send()).toEqual(first)
    await waitFor('the mail to be reported', async () =>
      (await tree.events()).some(({ type, agentId }) => type === 'mail' && agentId !== null),
    )
    const messages = (await tree.call('check_mail', {}, { as: 'two' })).messages.filter(
      ({ message }: any) => message === 'mailed once',
    )
    const taken = tree.log('two').filter((entry) => JSON.stringify(entry).includes('mailed once'))
    expect(messages.length + taken.length).toBeLessThanOrEqual(1)
  })
})

describe('what was done under a key, and not written down as done when the daemon was killed', () => {
  const callsBy = (key: string) => (tool: string, input: unknown, as?: string) =>
    tree.client(as).callTool(tool, input, { key }) as Promise<any>
  /** As if the daemon had been killed between the two. */
  const cut = async (): Promise<void> => {
    await tree.crash()
    const database = new Database(join(tree.state, 'store.db'))
    try {
      database
        .prepare(
          `update snapshots set value = json_remove(json_set(value, '$.done', json('false')), '$.result') where key like 'once:%'`,
        )
        .run()
    } finally {
      database.close()
    }
    await tree.command(['daemon', 'start'])
  }
  const children = async () => (await tree.tree()).root.children.map(({ id }: any) => id)

  it('is answered from what stands, and not done again', async () => {
    const call = callsBy('stands')
    const calls = [
      ['spawn_workers', { specs: [{ name: 'w', prompt: 'x' }] }],
      ['spawn_gemini_teammate', { name: 'g', prompt: 'x' }],
      ['spawn_subtree', { task: 'x', branch_name: 's' }],
      ['spawn_background_task', { command: 'echo done' }],
      ['spawn_llm_session', { goal: 'Read it.' }],
      ['fork', { name: 'Looks around', prompt: 'Look.' }],
    ] as const
    const others = await children()
    const before: any[] = []
    for (const [tool, input] of calls) before.push(await call(tool, input))
    const stood = await children()
    expect(stood).toHaveLength(others.length + calls.length)
    await cut()
    const idOf = (result: any): string => result.agent_id ?? result.spawned[0].agent_id
    for (const [index, [tool, input]] of calls.entries())
      expect(idOf(await call(tool, input)), tool).toBe(idOf(before[index]))
    expect((await children()).toSorted()).toEqual(stood.toSorted())
  })

  it('stays in the result where all of the rest is refused now, however often it is asked for', async () => {
    const call = callsBy('stays')
    const input = {
      specs: [
        { name: 'p', prompt: 'x' },
        { name: 'q', prompt: 'x', agent: 'nobody' },
      ],
    }
    const [p] = (await call('spawn_agents', input)).spawned
    await cut()
    writeFileSync(join(tree.repository.path, 'dirty.txt'), '')
    await tree.repository.git('add', 'dirty.txt')
    try {
      for (let times = 0; times < 2; times++) {
        const again = await call('spawn_agents', input)
        expect(again.spawned.map(({ agent_id: id }: any) => id)).toEqual([p.agent_id])
        expect(again.errors).toEqual([
          { name: 'q', code: 'DIRTY_WORKTREE', error: expect.any(String) },
        ])
      }
    } finally {
      await tree.repository.git('rm', '-f', 'dirty.txt')
    }
  })

  it('is the pull request that it filed, and the review that it made of it, merged meanwhile', async () => {
    const call = callsBy('filed')
    const worktree = (await call('spawn_workers', { specs: [{ name: 'files', prompt: 'x' }] }))
      .spawned[0].worktree
    writeFileSync(join(worktree, 'w.txt'), 'w')
    await tree.repository.git('-C', worktree, 'add', 'w.txt')
    await tree.repository.git('-C', worktree, 'commit', '-m', 'Add w')
    const input = { title: 'w', body: 'w', draft: false }
    const { warnings: _, ...filed } = await call('file_pr', input, 'files')
    const said = { pr_number: filed.pr_number, verdict: 'comment', body: 'Why?' }
    const reviewed = await call('pr_review', said)
    await tree.call('merge_pr', { pr_number: filed.pr_number, wait: true })
    await cut()
    expect(await call('file_pr', input, 'files')).toEqual({
      ...filed,
      warnings: [expect.stringContaining('merged meanwhile')],
    })
    expect(await call('pr_review', said)).toEqual(reviewed)
    const { reviews } = await tree.call('pr_show', { pr_number: filed.pr_number })
    expect(reviews.map(({ body }: any) => body)).toEqual(['Why?'])
    // One that is new files nothing.
    expect(await tree.refusal('file_pr', input, { as: 'files' })).toMatchObject({
      code: 'NOTHING_TO_MERGE',
    })
  })
})

it.each(['worktree', 'furnish', 'live'])(
  'a command whose daemon is killed at “%s” of a spawn asks again: every agent once, and the result says which',
  async (step) => {
    const names = ['a', 'b', 'c'].map((name) => `${name}-${step}`)
    const { dead } = await crashAt(tree, 'spawn', step)
    const command = spawn(
      process.execPath,
      [
        BIN,
        'call',
        'spawn_workers',
        JSON.stringify({
          specs: names.map((name) => ({ name, prompt: `Task of ${name}` })),
        }),
      ],
      {
        cwd: tree.repository.path,
        env: { ...tree.repository.env, NO_COLOR: '1' },
        stdio: ['ignore', 'pipe', 'inherit'],
      },
    )
    let out = ''
    command.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()))
    const ended = new Promise((resolve) => command.once('exit', resolve))
    await dead
    expect(await ended).toBe(0)
    const result = JSON.parse(out)
    expect(result.errors).toEqual([])
    expect(result.spawned.map(({ name }: any) => name).toSorted()).toEqual(names)
    const { root } = await tree.tree()
    const children = root.children.filter(({ name }: any) => name.includes(step))
    expect(children.map(({ name }: any) => name).toSorted()).toEqual(names)
    expect(new Set(result.spawned.map(({ agent_id: id }: any) => id))).toEqual(
      new Set(children.map(({ id }: any) => id)),
    )
  },
)
