import { describe, expect, it } from 'vitest'
import type { AcpToolStatus, AcpUpdate } from '../../../../packages/subagents/src/acp/acp.ts'
import { createRendering } from '../../../../src/adapters/acp/rendering.ts'
import { createRounds } from '../../../../src/adapters/acp/rounds.ts'

const message = (text: string): AcpUpdate => ({ kind: 'message', text })
const thought = (text: string): AcpUpdate => ({ kind: 'thought', text })
const tool = (
  id: string,
  status: AcpToolStatus,
  { first = false, title = null as string | null, output = null as string | null } = {},
): AcpUpdate => ({
  kind: 'tool',
  first,
  tool: { id, title, kind: null, status, detail: null, output },
})
const announced = (id: string) => tool(id, 'pending', { first: true, title: `Tool ${id}` })

describe('rounds of the model', () => {
  it('begin with what it says after its tool calls have ended', () => {
    const rounds = createRounds()
    rounds.begin()
    const counted = [
      thought('hm'),
      message('I look'),
      announced('a'),
      announced('b'),
      tool('a', 'completed'),
      tool('b', 'failed'),
      thought('so'),
      message('done'),
    ].map((update) => {
      rounds.take(update)
      return rounds.rounds
    })
    expect(counted).toEqual([1, 1, 1, 1, 1, 1, 2, 2])
    expect(rounds.toolCalls).toBe(2)
    expect(rounds.lastText).toBe('done')
    rounds.begin()
    rounds.take(message('again'))
    expect(rounds.rounds).toBe(3)
  })

  it('are not begun by what is said while a tool runs', () => {
    const rounds = createRounds()
    rounds.begin()
    for (const update of [
      announced('a'),
      announced('b'),
      tool('a', 'completed'),
      message('one is there'),
    ])
      rounds.take(update)
    expect(rounds.rounds).toBe(1)
  })

  it('take a tool call that was never announced for announced, and nothing of one that ended', () => {
    const rounds = createRounds()
    rounds.begin()
    expect(rounds.take(tool('x', 'completed', { output: 'found' }))).toMatchObject([
      { kind: 'started', call: { id: 'x', title: 'a tool' } },
      { kind: 'ended', status: 'completed', output: 'found' },
    ])
    expect(rounds.take(tool('x', 'completed'))).toEqual([])
    expect(rounds.take(tool('x', 'in_progress'))).toEqual([])
    expect(rounds.toolCalls).toBe(1)
    // The same id announced anew is another call.
    expect(rounds.take(announced('x'))).toMatchObject([{ kind: 'started' }])
    expect(rounds.toolCalls).toBe(2)
  })

  it('end what a turn left open', () => {
    const rounds = createRounds()
    rounds.begin()
    rounds.take(announced('a'))
    expect(rounds.end()).toEqual([
      {
        kind: 'ended',
        call: { id: 'a', title: 'Tool a', kind: null, detail: null },
        status: 'cancelled',
        output: null,
      },
    ])
    expect(rounds.end()).toEqual([])
  })

  it('keep the end of a long last message', () => {
    const rounds = createRounds()
    rounds.begin()
    for (let part = 0; part < 2000; part += 1)
      rounds.take(message(`${String(part).padStart(4, '0')}${'x'.repeat(1000)}`))
    expect(rounds.lastText).toHaveLength(100_000)
    expect(rounds.lastText.endsWith(`1999${'x'.repeat(1000)}`)).toBe(true)
  })
})

describe('how a session reads', () => {
  it('puts text as it streams and everything else on lines of its own', () => {
    let shown = ''
    const view = createRendering((text) => (shown += text))
    const call = { id: '1', title: 'Run tests', kind: 'execute', detail: 'npm test' }
    view.prompt('do this\nand that\n')
    view.update(thought('hm'))
    view.update(thought('hm'))
    view.update(message('I be'))
    view.update(message('gin.'))
    view.tool({ kind: 'started', call })
    view.asks(call)
    view.answered(call, 'allow', 'fine')
    view.tool({ kind: 'ended', call, status: 'completed', output: 'all passed\nin 3 s' })
    const plan: AcpUpdate = {
      kind: 'plan',
      entries: [
        { content: 'look', status: 'completed' },
        { content: 'fix', status: 'pending' },
      ],
    }
    view.update(plan)
    view.update(plan)
    view.update(message('Done'))
    view.note('the turn ended')
    expect(shown.split('\n')).toEqual([
      '',
      '> do this',
      '  and that',
      '',
      '✻ thinking',
      'I begin.',
      '⏺ Run tests (npm test)',
      '? permission for Run tests (npm test): waits for a person (`exomonad approve` or `exomonad deny`)',
      '? allowed: Run tests (fine)',
      '  ⎿ completed: all passed …',
      '☒ look',
      '☐ fix',
      'Done',
      '── the turn ended',
      '',
    ])
  })
})
