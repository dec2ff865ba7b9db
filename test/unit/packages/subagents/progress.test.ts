import { describe, expect, it } from 'vitest'
import { createSubagentProgress } from '../../../../src/index.ts'
import { renderTerminal } from './terminal.ts'
import { verifies } from '../../../requirements.ts'

const call = (id: string, name: string, args: Record<string, unknown>) => ({
  id,
  name,
  arguments: args,
})
const answer = (id: string, name: string, isError = false) => ({
  id,
  name,
  output: '',
  isError,
  durationMs: 1,
})

function shown(columns = 60, rows = 24) {
  let time = 0
  let written = ''
  const progress = createSubagentProgress({
    write: (text) => (written += text),
    columns,
    rows,
    now: () => time,
  })
  return {
    progress,
    pass: (ms: number) => (time += ms),
    screen: () => renderTerminal(written, columns, rows),
    written: () => written,
  }
}

describe('progress of subagents', () => {
  it(
    verifies(
      'R002-09',
      'is a live tree: nested ones indented below their parent, with tool calls and elapsed time',
    ),
    async () => {
      const { progress, pass, screen } = shown()
      progress.onSubagentStart({ id: 'sub_1', description: 'Researching API', mode: 'spawn' })
      pass(2000)
      progress.onSubagentToolCallStart('sub_1', call('1', 'search', { query: 'endpoints' }))
      progress.onSubagentToolCallEnd('sub_1', answer('1', 'search'))
      progress.onSubagentToolCallStart(
        'sub_1',
        call('2', 'subagent_spawn', { task: 'x', description: 'Reading docs' }),
      )
      progress.onSubagentStart({
        id: 'sub_2',
        description: 'Reading docs',
        mode: 'spawn',
        parentId: 'sub_1',
      })
      pass(3000)
      progress.onSubagentToolCallStart('sub_2', call('1', 'read', { path: 'a', line: 1 }))
      const lines = await screen()
      expect(lines.map((line) => line.replace(/^(\s*)[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/, '$1*'))).toEqual([
        '* Researching API · 5s · 1 tool call',
        '  ⎿ search endpoints',
        '  * Reading docs · 3s · 1 tool call',
        '    ⎿ read {"path":"a","line":1}',
      ])
      progress.onSubagentError('sub_2', new Error('no docs'))
      progress.onSubagentComplete('sub_1', { text: 'done', turns: 3, durationMs: 5000 })
      expect(await screen()).toEqual([
        '✓ Researching API · 5s · 1 tool call · 3 turns',
        '  ✗ Reading docs: no docs · 3s · 1 tool call',
      ])
    },
  )

  it('leaves an ended tree standing and begins the next below it', async () => {
    const { progress, screen } = shown()
    for (const id of ['sub_1', 'sub_2']) {
      progress.onSubagentStart({ id, description: `Task of ${id}`, mode: 'delegate' })
      progress.onSubagentComplete(id, { text: '', turns: 1, durationMs: 1 })
    }
    expect((await screen()).map((line) => line.split(' · ')[0])).toEqual([
      '✓ Task of sub_1',
      '✓ Task of sub_2',
    ])
  })

  it('lets no agent steer the terminal, and keeps to its width', async () => {
    const { progress, screen, written } = shown(30)
    progress.onSubagentStart({ id: 'sub_1', description: 'a\u001b[2Jb\nc', mode: 'spawn' })
    progress.onSubagentToolCallStart(
      'sub_1',
      call('1', 'x'.repeat(100), { path: '\u001b]0;title\u0007' }),
    )
    const lines = await screen()
    expect(lines).toHaveLength(2)
    expect(lines.every((line) => line.length <= 30)).toBe(true)
    progress.stop()
    expect(written()).not.toContain('\u001b[2J')
    expect(written()).not.toContain('\u001b]0;')
  })
})
