import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import process from 'node:process'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { crashAt } from '../helpers/crash-at.ts'
import { BIN, startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'

/** What is asked for under an idempotency key is done once: asked for twice, at the same time, and after a daemon that was killed in the middle. */

const ask = async (tree: Exomonad, tool: string, input: unknown, key?: string): Promise<{ status: number; body: any }> => {
  const { socket } = JSON.parse(readFileSync(join(tree.state, 'repository.json'), 'utf8'))
  const token = readFileSync(join(tree.state, 'auth', (await tree.agent('one')).id), 'utf8').trim()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...(key === undefined ? {} : { 'idempotency-key': key }) }
  return new Promise((resolve, reject) => {
    const sent = request({ socketPath: socket, path: `/v1/tools/${tool}`, method: 'POST', headers }, (response) => {
      let text = ''
      response.on('data', (chunk) => (text += chunk))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify(input))
  })
}
const notes = async (tree: Exomonad, words: string): Promise<number> =>
  (await tree.events()).filter(({ type, payload }) => type === 'note' && payload.message === words).length

describe('an idempotency key', () => {
  let tree: Exomonad
  beforeAll(async () => {
    tree = await startExomonad()
    await tree.call('spawn_workers', { specs: ['one', 'two'].map((name) => ({ name, prompt: 'x' })) })
    await waitFor('both to idle', async () => (await tree.agent('one')).state === 'idle' && (await tree.agent('two')).state === 'idle')
  })
  afterAll(() => tree?.stop())

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
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(tree, 'note', { message: 'at once' }, 'k-3')))
    expect(answers).toEqual(answers.map(() => ({ status: 200, body: { status: 'sent' } })))
    expect(await notes(tree, 'at once')).toBe(1)
  })

  it('is one call’s: another input, and what is no key, are refused; what was refused may be asked for again', async () => {
    expect(await ask(tree, 'note', { message: 'another' }, 'k-1')).toMatchObject({ status: 400, body: { code: 'INVALID_ARG', field: 'idempotency_key' } })
    expect(await ask(tree, 'note', { message: 'x', idempotency_key: 5 })).toMatchObject({ status: 400, body: { code: 'INVALID_ARG' } })
    expect(await ask(tree, 'send', { to: 'late', message: 'x' }, 'k-4')).toMatchObject({ body: { code: 'AGENT_NOT_FOUND' } })
    await tree.call('spawn_workers', { specs: [{ name: 'late', prompt: 'x' }] })
    expect(await ask(tree, 'send', { to: 'late', message: 'x' }, 'k-4')).toMatchObject({ status: 200 })
    expect(await ask(tree, 'check_mail', { idempotency_key: 'k' })).toMatchObject({ status: 400 })
  })

  it('holds across a restart, for mail too', async () => {
    const send = () => ask(tree, 'send', { to: 'two', message: 'mailed once' }, 'k-5')
    const first = await send()
    await tree.crash()
    await tree.run(['daemon', 'start'])
    expect(await send()).toEqual(first)
    await waitFor('the mail to be told of', async () => (await tree.events()).some(({ type, agentId }) => type === 'mail' && agentId !== null))
    const messages = (await tree.call('check_mail', {}, { as: 'two' })).messages.filter(({ message }: any) => message === 'mailed once')
    const taken = tree.log('two').filter((entry) => JSON.stringify(entry).includes('mailed once'))
    expect(messages.length + taken.length).toBeLessThanOrEqual(1)
  })
})

it.each(['worktree', 'furnish', 'live'])(
  'a command whose daemon is killed at “%s” of a spawn asks again: every agent once, and the result says which',
  async (step) => {
    const tree = await startExomonad()
    onTestFinished(() => tree.stop())
    const { dead } = await crashAt(tree, 'spawn', step)
    const command = spawn(
      process.execPath,
      [BIN, 'call', 'spawn_workers', JSON.stringify({ specs: ['a', 'b', 'c'].map((name) => ({ name, prompt: `Task of ${name}` })) })],
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
    expect(result.spawned.map(({ name }: any) => name).toSorted()).toEqual(['a', 'b', 'c'])
    const { root } = await tree.tree()
    expect(root.children.map(({ name }: any) => name).toSorted()).toEqual(['a', 'b', 'c'])
    expect(new Set(result.spawned.map(({ agent_id: id }: any) => id))).toEqual(new Set(root.children.map(({ id }: any) => id)))
  },
)
