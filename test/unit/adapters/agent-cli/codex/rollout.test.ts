import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Database from 'better-sqlite3'
import { describe, expect, it, onTestFinished } from 'vitest'
import { isQueued, subagentsOf } from '../../../../../src/adapters/agent-cli/codex/databases.ts'
import {
  findRollout,
  lastTurn,
  mentionedIn,
  usageOf,
} from '../../../../../src/adapters/agent-cli/codex/rollout.ts'

const ID = '01a200eb-f663-7390-9e99-019955e15f74'
const PARENT = '01a200eb-44f7-7f82-ac25-44a53997c240'
const usage = (input: number, cached: number, written: number, output: number) => ({
  input_tokens: input,
  cached_input_tokens: cached,
  cache_write_input_tokens: written,
  output_tokens: output,
  reasoning_output_tokens: 0,
  total_tokens: input + output,
})
const record = (thread: string, used: object) => ({
  type: 'token_usage_record',
  payload: {
    thread_id: thread,
    session_id: thread,
    response_id: 'resp_38',
    usage: used,
    thread_token_usage: usage(4000, 0, 0, 200),
  },
})
const message = (role: string, text: string) => ({
  type: 'response_item',
  payload: { type: 'message', role, content: [{ type: 'input_text', text }] },
})
const event = (type: string, fields: object = {}) => ({
  type: 'event_msg',
  payload: { type, ...fields },
})

/** What codex 0.169.0 writes for a fork, shortened. */
const LINES = [
  {
    type: 'session_meta',
    payload: {
      id: ID,
      forked_from_id: PARENT,
      forked_from_ordinal_exclusive: 32,
      cli_version: '0.169.0',
    },
  },
  event('task_started'),
  { type: 'turn_context', payload: { turn_id: '01a2', model: 'gpt-6.1-sol' } },
  message('user', 'Your task. [m-1]'),
  message('developer', 'Mail of a hook. [m-2]'),
  {
    type: 'response_item',
    payload: {
      type: 'custom_tool_call',
      name: 'exec',
      namespace: 'functions',
      input: 'text("[m-3]")',
    },
  },
  record(ID, usage(1000, 200, 100, 50)),
  record(PARENT, usage(5000, 0, 0, 500)),
  {
    type: 'response_item',
    payload: {
      type: 'custom_tool_call_output',
      call_id: 'call_38',
      output: [{ type: 'input_text', text: 'read [m-4]' }],
    },
  },
  event('token_count', { info: { total_token_usage: usage(4000, 0, 0, 200) } }),
  message('assistant', 'I have read [m-5].'),
  { type: 'turn_context', payload: { turn_id: '01a3', model: 'gpt-6-luna' } },
  record(ID, usage(10, 0, 0, 5)),
  event('task_complete'),
]

function rollout(lines: readonly object[], end = ''): { home: string; path: string } {
  const home = mkdtempSync(join(tmpdir(), 'codex-'))
  onTestFinished(() => rmSync(home, { recursive: true }))
  const path = join(home, 'sessions', '2026', '11', '22', `rollout-2026-11-22T01-43-13-${ID}.jsonl`)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(
    path,
    lines
      .map((line) => `${JSON.stringify({ timestamp: '2026-11-22T01:43:13.831Z', ...line })}\n`)
      .join('') + end,
  )
  return { home, path }
}

describe('the file of a Codex session', () => {
  it('is found by the path that is known, else by the session’s id', async () => {
    const { home, path } = rollout(LINES)
    expect(await findRollout({ id: ID, transcript: path }, '/nowhere')).toBe(path)
    expect(await findRollout({ id: ID, transcript: '/gone.jsonl' }, home)).toBe(path)
    expect(await findRollout({ id: PARENT, transcript: null }, home)).toBeNull()
    expect(await findRollout({ id: ID, transcript: null }, join(home, 'absent'))).toBeNull()
  })

  it('proves what the model was shown, not what it said or called itself', async () => {
    const { path } = rollout(
      LINES,
      '{"type":"response_item","payload":{"type":"message","role":"user","content":"[m-6]',
    )
    expect([
      ...(await mentionedIn(path, ['m-1', 'm-2', 'm-3', 'm-4', 'm-5', 'm-6', 'm-7'])),
    ]).toEqual(['m-1', 'm-2', 'm-4'])
  })

  it('reports the tokens of its own, by model, each once', async () => {
    const { path } = rollout(LINES)
    expect(
      await usageOf(
        [
          { id: ID, transcript: path },
          { id: PARENT, transcript: '/gone.jsonl' },
        ],
        '/nowhere',
      ),
    ).toEqual({
      models: {
        'gpt-6.1-sol': { input: 700, output: 50, cacheRead: 200, cacheWrite: 100 },
        'gpt-6-luna': { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 },
      },
    })
  })

  it.each([
    ['complete', LINES],
    [
      'interrupted',
      [...LINES, event('task_started'), event('turn_aborted', { reason: 'interrupted' })],
    ],
    ['working', [...LINES, event('task_started'), message('user', '"task_complete"')]],
    [undefined, [message('user', 'x'.repeat(300_000))]],
  ] as const)('reports that its last turn is %s', async (turn, lines) => {
    expect((await lastTurn(rollout(lines).path))?.state).toBe(turn)
  })

  it('reports why its last turn failed, in one plain line', async () => {
    const failed = event('task_complete', {
      last_agent_message: null,
      error: { message: '{"error":\n\u001b[31m"bad thing"}', codex_error_info: 'other' },
    })
    expect(await lastTurn(rollout([...LINES, event('task_started'), failed]).path)).toEqual({
      state: 'complete',
      failure: '{"error": [31m"bad thing"}',
    })
    expect((await lastTurn(rollout(LINES).path))?.failure).toBeNull()
  })
})

describe('Codex’s queue', () => {
  it('is looked through for messages that still wait', () => {
    const { home } = rollout([])
    expect(isQueued(home, ID, ['m-1'])).toBe(false)
    const database = new Database(join(home, 'queue_1.sqlite'))
    database.exec(
      'create table queued_items (id text primary key not null, thread_id text not null, payload_json text not null)',
    )
    database
      .prepare('insert into queued_items values (?, ?, ?)')
      .run('1', ID, JSON.stringify({ text: 'Mail. [m-1]' }))
    database.close()
    expect(isQueued(home, ID, ['m-0', 'm-1'])).toBe(true)
    expect(isQueued(home, ID, ['m-2'])).toBe(false)
    expect(isQueued(home, PARENT, ['m-1'])).toBe(false)
  })
})

describe('Codex’s subagents', () => {
  it('are found with theirs; what they use counts for the agent', async () => {
    const { home, path } = rollout(LINES)
    expect(subagentsOf(home, PARENT)).toEqual([])
    const database = new Database(join(home, 'state_5.sqlite'))
    database.exec(`create table thread_spawn_edges (parent_thread_id text not null, child_thread_id text not null primary key);
      create table threads (id text primary key, rollout_path text not null)`)
    const edge = database.prepare('insert into thread_spawn_edges values (?, ?)')
    const thread = database.prepare('insert into threads values (?, ?)')
    edge.run(PARENT, 'child')
    edge.run('child', ID)
    edge.run('other', 'not-ours')
    for (const [id, file] of [
      [PARENT, '/p.jsonl'],
      ['child', '/c.jsonl'],
      [ID, path],
      ['not-ours', '/n.jsonl'],
    ] as const)
      thread.run(id, file)
    database.close()
    const found = subagentsOf(home, PARENT)
    expect(found).toEqual([
      { id: 'child', transcript: '/c.jsonl' },
      { id: ID, transcript: path },
    ])
    expect((await usageOf(found, home)).models['gpt-6.1-sol']).toMatchObject({
      input: 700,
      output: 50,
    })
  })
})
