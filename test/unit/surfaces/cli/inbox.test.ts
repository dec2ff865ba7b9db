import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { readEnvironment } from '../../../../src/config/environment.ts'
import { ensureUserState } from '../../../../src/config/user-state.ts'
import { inbox, next } from '../../../../src/surfaces/cli/mail/mail-commands.ts'
import { inboxOf, item } from '../text/sample-inbox.ts'
import { fakeRun } from './fake-context.ts'

const ITEMS = {
  question: item({ text: 'Which database?' }),
  permission: item({ type: 'permission', id: 'approval:perm-abc', title: 'auth asks: rm' }),
  pull: item({ type: 'pull', id: 'pull:12', title: '#12 can be merged' }),
  failed: item({
    type: 'failed',
    id: 'failed:id-auth',
    title: 'auth failed',
    settle: ['exomonad logs auth', 'exomonad reap'],
  }),
}
const merged = {
  ...{ merged: true, state: 'merged', sha: 'a'.repeat(40), local_synced: true },
  ...{ retargeted: [], siblings_behind: [], next: '' },
}
/** An inbox in which the item that is asked for is this one. */
const holding = (type: keyof typeof ITEMS, more: { json?: boolean; input?: string } = {}) =>
  fakeRun(inbox, {
    ...more,
    tools: {
      inbox: () => ({ ...inboxOf(), items: [ITEMS[type]] }),
      answer_question: () => ({ status: 'delivered', question_id: 'q-11111111' }),
      approve: () => ({ approval_id: 'perm-abc', decision: 'approved' }),
      deny: () => ({ approval_id: 'perm-abc', decision: 'denied' }),
      merge_pr: () => merged,
    },
  })

describe('answering by number', () => {
  it.each([
    [
      'question',
      ['--answer', 'SQLite'],
      'answer_question',
      { agent: 'id-auth', message: 'SQLite', question_id: 'q-11111111' },
      '✓ Delivered to auth (q-11111111)\n',
    ],
    [
      'permission',
      ['--approve'],
      'approve',
      { approval_id: 'perm-abc' },
      '✓ Approved: auth asks: rm\n',
    ],
    ['permission', ['--deny'], 'deny', { approval_id: 'perm-abc' }, '✓ Denied: auth asks: rm\n'],
    [
      'permission',
      ['--deny', 'not today'],
      'deny',
      { approval_id: 'perm-abc', reason: 'not today' },
      '✓ Denied: auth asks: rm\n',
    ],
    ['pull', ['--merge'], 'merge_pr', { pr_number: 12 }, '✓ Merged #12 as aaaaaaaaaa\n'],
  ] as const)('settles a %s by %j', async (type, words, tool, input, out) => {
    const { run, calls, said } = holding(type)
    await run('1', ...words)
    expect(calls).toEqual([
      { tool: 'inbox', input: { item: '1' } },
      { tool, input },
    ])
    expect(said.out).toBe(out)
  })

  it('takes an answer from standard input, and returns the document where that is asked for', async () => {
    const { run, calls, said } = holding('question', { json: true, input: 'From a file\n' })
    await run('q-1111', '--answer', '-')
    expect(calls[1]?.input).toMatchObject({ message: 'From a file\n' })
    expect(JSON.parse(said.out)).toEqual({ status: 'delivered', question_id: 'q-11111111' })
  })

  it.each([
    [
      'failed',
      ['--merge'],
      /Item 1 is a failure \(auth failed\): --merge is for a pull request\. Nothing was done\. .*`exomonad logs auth` or `exomonad reap`/,
    ],
    [
      'question',
      ['--approve'],
      /is a question .*--approve is for a question for permission and a question for approval/,
    ],
    ['pull', ['--answer', 'yes'], /is a pull request .*--answer is for a question\./],
    ['permission', ['--answer', 'yes'], /--answer is for a question\./],
  ] as const)('does nothing with a %s by %j', async (type, words, error) => {
    const { run, calls } = holding(type)
    await expect(run('1', ...words)).rejects.toThrow(error)
    expect(calls.map(({ tool }) => tool)).toEqual(['inbox'])
  })

  it.each([
    [['--merge'], /--merge needs the number or id of an item: `exomonad inbox 1 --merge`/],
    [['1', '--merge', '--answer', 'x'], /--answer and --merge go not together/],
  ])('refuses %j before anything is asked', async (words, error) => {
    const { run, calls } = holding('pull')
    await expect(run(...words)).rejects.toThrow(error)
    expect(calls).toEqual([])
  })

  it('says so where nothing is next', async () => {
    const { run } = fakeRun(inbox, { tools: { inbox: () => inboxOf() } })
    await expect(run('next', '--approve')).rejects.toThrow('Nothing needs you.')
  })
})

describe('looking', () => {
  it('shows one item whole by its number, and all of them without', async () => {
    const one = holding('failed')
    await one.run('1')
    expect(one.said.out).toContain('What settles it:\n  exomonad logs auth\n  exomonad reap\n')
    const all = holding('failed')
    await all.run('--type', 'failed', '--agent', 'auth')
    expect(all.calls).toEqual([
      { tool: 'inbox', input: { type: 'failed', agent: 'auth', clear: false } },
    ])
    expect(all.said.out).toContain('1  failed  auth failed')
  })

  it('shows the next, or that there is none', async () => {
    const shown = async (items: (typeof ITEMS)['pull'][]) => {
      const { run, said, calls } = fakeRun(next, {
        tools: { inbox: () => ({ ...inboxOf(), items }) },
      })
      await run()
      expect(calls).toEqual([{ tool: 'inbox', input: { clear: false, item: 'next' } }])
      return said.out
    }
    expect(await shown([ITEMS.pull])).toMatch(/^1 pull .*\n#12 can be merged\n/)
    expect(await shown([])).toBe('Nothing needs you\n')
  })
})

describe('a number', () => {
  it('means the item that it was shown with last, by `next` as by the list', async () => {
    const home = mkdtempSync(join(tmpdir(), 'exomonad-'))
    onTestFinished(() => rmSync(home, { recursive: true }))
    await ensureUserState(readEnvironment({ HOME: home }))
    const asked = (agent: string, number: number) =>
      item({ type: 'permission', id: `approval:of-${agent}`, agent, number })
    let items = [asked('a', 1), asked('b', 2), asked('c', 3)]
    const called = (input: { item?: string; agent?: string }) =>
      items.filter(({ id, number, agent }) =>
        input.item === undefined || input.item === 'next'
          ? [undefined, agent].includes(input.agent)
          : [id, String(number)].includes(input.item),
      )
    const tools = {
      inbox: (input: { item?: string; agent?: string }) => ({
        ...inboxOf(),
        items: called(input).slice(0, input.item === undefined ? undefined : 1),
      }),
      approve: () => ({ approval_id: 'x', decision: 'approved' }),
    }
    const doing = async (module: typeof inbox, ...words: string[]) => {
      const one = fakeRun(module, { tools, env: { HOME: home }, elsewhere: 'ci' })
      await one.run(...words)
      return one
    }
    await doing(inbox)
    // The first is settled: each has a smaller number now.
    items = [asked('b', 1), asked('c', 2)]
    const shown = await doing(next, '--agent', 'c')
    expect(shown.said.out).toContain('exomonad inbox 2 --approve')
    const settled = await doing(inbox, '2', '--approve')
    expect(settled.calls.at(-1)).toEqual({ tool: 'approve', input: { approval_id: 'of-c' } })
    // What was not shown anew means what it did.
    const before = await doing(inbox, '3', '--approve')
    expect(before.calls.at(-1)).toEqual({ tool: 'approve', input: { approval_id: 'of-c' } })
  })
})
