import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ALL_TOOLS } from '../../../src/tools/all.ts'
import { startExomonad, type Exomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/**
 * Hostile text on every lane by which text gets into the tree, and then a look at everything that
 * keeps or shows text: no control character and no token is found anywhere. A tool with a field for
 * words that no lane below uses fails the first test.
 */

const RAW = '\u001b]52;c;aGk=\u0007\u001b[31m\u202e\u0000'
const TOKEN = `ghp_${'a1B2'.repeat(9)}`
let tree: Exomonad
/** The token that the agent of that name has in its environment. */
const tokenOf = async (name: string): Promise<string> =>
  readFileSync(join(tree.state, 'auth', (await tree.agent(name)).id), 'utf8').trim()
let own = ''
const hostile = (words: string): string => `${words} ${RAW}${TOKEN} ${own}`

const seen: { lane: string; text: string }[] = []
const keep = (lane: string, value: unknown): void =>
  void seen.push({ lane, text: typeof value === 'string' ? value : JSON.stringify(value) })

/**
 * Words of tools, and what uses them here; the rest are addresses, numbers and choices (`exact`).
 */
const LANES: Readonly<
  Record<string, (() => Promise<unknown>) | 'exact' | 'one that ends up in another'>
> = {
  'send.message': () => tree.call('send', { to: 'mate', message: hostile('mail') }, { as: 'dev' }),
  'send_raw.message': () => tree.call('send_raw', { to: 'mate', message: hostile('raw') }),
  'note.message': () => tree.call('note', { message: hostile('note') }, { as: 'dev' }),
  'question.message': async () => {
    await tree.call('question', { message: hostile('question'), timeout: 1 }, { as: 'dev' })
  },
  'answer_question.message': () =>
    tree.call('answer_question', { agent: 'dev', message: hostile('answer') }),
  'file_pr.title': () =>
    tree.call('file_pr', { title: hostile('title'), body: hostile('body') }, { as: 'dev' }),
  'file_pr.body': 'one that ends up in another',
  'pr_review.body': () =>
    tree.call('pr_review', {
      pr_number: 1,
      verdict: 'comment',
      body: hostile('review'),
      comments: [{ path: 'dev.txt', line: 1, body: hostile('line') }],
    }),
  'spawn_workers.specs': () =>
    tree.call('spawn_workers', { specs: [{ name: 'late', prompt: hostile('task') }] }),
  'spawn_agents.specs': 'one that ends up in another',
  'spawn.specs': 'one that ends up in another',
  'spawn_subtree.task': () =>
    tree.call('spawn_subtree', { task: hostile('subtree'), branch_name: 'below' }),
  'spawn_gemini_teammate.prompt': 'one that ends up in another',
  'spawn_llm_session.goal': 'one that ends up in another',
  'spawn_llm_session.context': 'one that ends up in another',
  'fork.prompt': 'one that ends up in another',
  'fork.context': 'exact',
  'fork_capture.context': 'exact',
  'subagent_spawn.task': 'one that ends up in another',
  'subagent_delegate.task': 'one that ends up in another',
  'tree.text': 'exact',
  'capture.text': () => tree.call('capture', { text: hostile('captured') }),
  'up.task': 'one that ends up in another',
  'approve.reason': 'one that ends up in another',
  'deny.reason': 'one that ends up in another',
  'write_stdin.data': 'exact',
  'spawn_background_task.command': 'exact',
}

const WORDS = /^(?:message|title|body|prompt|task|goal|context|reason|text|specs|data|command)$/

beforeAll(async () => {
  tree = await startExomonad({ files: { 'a.txt': 'a\n' } })
  tree.script('dev', {
    steps: [
      { do: 'write', path: 'dev.txt', content: 'dev\n' },
      { do: 'commit', message: 'Add dev' },
      // As an agent would, with what is in its own environment.
      {
        do: 'sh',
        command: `exomonad send mate "mail $(printf '\\033]52;c;aGk=\\007\\033[31m')${TOKEN} $EXOMONAD_TOKEN"`,
      },
    ],
    on: [
      {
        match: 'again',
        steps: [{ do: 'sh', command: `exomonad send mate "again $EXOMONAD_TOKEN"` }],
      },
    ],
  })
  // No tool is given these: they are read from what it wrote.
  tree.script('dying', {
    steps: [
      { do: 'print', text: `last words ${TOKEN}` },
      { do: 'exit', code: 3 },
    ],
  })
  tree.script('late', {
    steps: [{ do: 'print', text: `shown ${RAW.replaceAll('\u0000', '')}${TOKEN}` }],
  })
  // At work all the time: nothing but these tests takes its mail.
  tree.script('mate', { steps: [{ do: 'message', match: 'never' }] })
  await tree.call('spawn_workers', {
    specs: [
      { name: 'dev', prompt: 'x' },
      { name: 'mate', prompt: 'x' },
      { name: 'dying', prompt: 'x' },
    ],
  })
  await tree.logged('dev', 'its commit', (entry) => entry['kind'] === 'ready')
  own = await tokenOf('dev')
  expect(own).toMatch(/^[0-9a-f]{64}$/)
  await waitFor('its work', async () =>
    existsSync(join(tree.repository.path, '.exomonad', 'worktrees', 'dev', 'dev.txt')),
  )
  await waitFor(
    'its commit',
    async () => (await tree.repository.git('rev-list', '--count', 'main..main.dev')).trim() === '1',
  )
  // What it sends by itself, too: a later wait is for other words of it.
  await tree.logged(
    'dev',
    'its own mail',
    ({ kind, command }) => kind === 'sh' && String(command).startsWith('exomonad send mate "mail'),
  )
  for (const [lane, use] of Object.entries(LANES))
    if (typeof use === 'function') keep(lane, (await use()) ?? '')
})
afterAll(() => tree?.stop())

describe('the text gate', () => {
  it('has a lane for every tool that takes words', () => {
    const taken = ALL_TOOLS.flatMap((tool) =>
      Object.keys(tool.input.shape).flatMap((field) =>
        WORDS.test(field) ? [`${tool.name}.${field}`] : [],
      ),
    )
    expect(Object.keys(LANES).toSorted()).toEqual(taken.toSorted())
    for (const tool of ALL_TOOLS)
      for (const field of tool.exact ?? [])
        expect(['data', 'command', 'argv', 'url', 'styled_text']).toContain(field)
  })

  it('lets nothing through to who reads mail, waits, looks or reviews', async () => {
    keep('check_mail', await tree.call('check_mail', {}, { as: 'mate' }))
    await tree.call('send', { to: 'dev', message: 'again' })
    await waitFor(
      'its mail',
      async () =>
        (await tree.call('check_mail', { peek: true }, { as: 'mate' })).messages.length > 0,
    )
    keep('wait', await tree.call('wait', { timeout: 60, from_agents: ['dev'] }, { as: 'mate' }))
    for (const [tool, input] of [
      ['pr_show', { pr_number: 1 }],
      ['pr_list', {}],
      ['pr_diff', { pr_number: 1 }],
      ['inbox', {}],
      ['agent_status', { agent_id: 'dev' }],
      ['screen', { agent: 'late' }],
      ['tree', {}],
    ] as const) {
      keep(tool, await tree.call(tool, input))
    }
    for (const args of [
      ['events', '--json'],
      ['tree', '--json'],
      ['pr', 'show', '1'],
      ['logs', 'dev'],
      ['inbox'],
    ])
      keep(args.join(' '), (await tree.run(args)).stdout)
    keep(
      'the prompt',
      readFileSync(join(tree.state, 'prompts', `${(await tree.agent('late')).id}.md`), 'utf8'),
    )
    keep('an error', await tree.refusal('send', { to: hostile('nobody'), message: 'x' }))
    keep('a bad input', await tree.refusal('file_pr', { title: 1, [hostile('key')]: 2 }))
    await tree.call('merge_pr', { pr_number: 1, wait: true })
    keep('git log', await tree.repository.git('log', '--format=%B%an', 'main'))
    expect(seen.find(({ lane }) => lane === 'git log')?.text).toContain('title')
    expect(seen.find(({ lane }) => lane === 'check_mail')?.text).toContain(
      'mail [redacted] [redacted]',
    )
    expect(seen.find(({ lane }) => lane === 'wait')?.text).toContain('again [redacted]')
    expect(seen.find(({ lane }) => lane === 'the prompt')?.text).toContain('task [redacted]')
    for (const { lane, text } of seen) expect(faults(text), lane).toEqual([])
  })

  it('lets nothing through to the answer of a hook', async () => {
    const named = `${RAW.replaceAll('\u0000', '')}${TOKEN} ${own}`
    const file = join(tree.repository.path, '.exomonad', 'worktrees', 'dev', named)
    writeFileSync(file, '')
    try {
      const answer = await tree.client('dev').hook('stop', {})
      expect(answer).toMatchObject({
        decision: 'block',
        reason: expect.stringContaining('[redacted] [redacted]'),
      })
      expect(faults(JSON.stringify(answer))).toEqual([])
    } finally {
      rmSync(file)
    }
  })

  it('lets nothing through to what a fork is given of a terminal, and to what is kept of one', async () => {
    await waitFor('its words', async () =>
      JSON.stringify(await tree.call('screen', { agent: 'late' })).includes('shown'),
    )
    const { context } = await tree.call('fork', { name: 'kid', prompt: 'x' }, { as: 'late' })
    expect(context).toBe('transcript')
    await tree.call('kill', { agent: 'late' })
    const files = ['agents', 'prompts', 'transcripts'].flatMap((folder) =>
      readdirSync(join(tree.state, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name)),
    )
    const shown = files.filter((path) => readFileSync(path, 'utf8').includes('shown [redacted]'))
    expect(shown.map((path) => path.slice(tree.state.length + 1).split('/')[0]).toSorted()).toEqual(
      ['agents', 'transcripts'],
    )
    for (const path of files) expect(faults(readFileSync(path, 'utf8')), path).toEqual([])
  })

  it('lets nothing through to what the store keeps', async () => {
    await tree.call('send', { to: 'mate', message: hostile('last') })
    await tree.call(
      'note',
      { message: 'under a key', idempotency_key: hostile('key') },
      { as: 'dev' },
    )
    await waitFor('its last words', async () => (await tree.agent('dying')).state === 'failed')
    const database = new DatabaseSync(join(tree.state, 'store.db'), { readOnly: true })
    try {
      const tables = database
        .prepare(`select name from sqlite_schema where type = 'table'`)
        .all() as { name: string }[]
      const rows = tables.flatMap(({ name }) =>
        database
          .prepare(`select * from "${name}"`)
          .all()
          .map((row) => ({ name, text: JSON.stringify(row) })),
      )
      expect(rows.some(({ text }) => text.includes('last [redacted]'))).toBe(true)
      expect(rows.some(({ text }) => text.includes('last words [redacted]'))).toBe(true)
      for (const { name, text } of rows) expect(faults(text), name).toEqual([])
    } finally {
      database.close()
    }
  })
})

/** As JSON would spell them, or as they are. */
function faults(text: string): string[] {
  const marks = ['\u001b', '\u202e', '\u0000', '\\u001b', '\\u0000', '\u0007', TOKEN, own]
  return marks.filter((mark) => text.includes(mark)).map((mark) => JSON.stringify(mark))
}
