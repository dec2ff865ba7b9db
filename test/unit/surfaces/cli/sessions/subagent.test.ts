import { expect, it } from 'vitest'
import type { SubagentEvent } from '../../../../../src/core/sessions/subagent-progress.ts'
import { ExomonadError } from '../../../../../src/domain/errors.ts'
import { subagent } from '../../../../../src/surfaces/cli/sessions/session-commands.ts'
import { verifies } from '../../../../requirements.ts'
import { fakeRun } from '../fake-context.ts'

const started: SubagentEvent = {
  kind: 'started',
  id: 'a',
  at: 0,
  parent: null,
  mode: 'spawn',
  description: 'Reading',
}
const used: SubagentEvent = {
  kind: 'tool',
  id: 'a',
  at: 0,
  tool: 'read',
  detail: 'a.ts',
  phase: 'started',
  status: null,
}
const ended: SubagentEvent = {
  kind: 'ended',
  id: 'a',
  at: 0,
  success: true,
  turns: 2,
  reason: null,
}
const ANSWER = { text: 'All is \u001b[2Jwell.\n', turns: 2, durationMs: 3000 }

const answering = (
  _input: unknown,
  _signal: unknown,
  progress: ((message: string, event: SubagentEvent | undefined) => void) | undefined,
) => {
  progress?.('● Reading', started)
  progress?.('  ⎿ read a.ts', used)
  progress?.('', { ...used, phase: 'ended', status: 'completed' })
  progress?.('✓ Reading: 2 turns', ended)
  return ANSWER
}

it('asks for what was asked for, and prints the text alone', async () => {
  const cli = fakeRun(subagent, { tools: { subagent_spawn: answering } })
  await cli.run(
    'spawn',
    'Read',
    'all of it',
    '--description',
    'Reading',
    '--max-turns',
    '3',
    '--system-prompt',
    'Be short.',
  )
  expect(cli.calls).toEqual([
    {
      tool: 'subagent_spawn',
      input: {
        task: 'Read all of it',
        description: 'Reading',
        maxTurns: 3,
        systemPrompt: 'Be short.',
      },
    },
  ])
  expect(cli.said.out).toBe('All is well.\n')
  expect(cli.said.err).toBe('● Reading\n  ⎿ read a.ts\n✓ Reading: 2 turns\n')
})

it('describes a task that nobody described by its beginning, and takes it from standard input', async () => {
  const cli = fakeRun(subagent, {
    tools: { subagent_delegate: answering },
    input: `Sum up:\n${'word '.repeat(40)}\n`,
    json: true,
  })
  await cli.run('delegate', '-', '--server', 'other', '--agent', 'plan')
  const { input } = cli.calls[0] as { input: { description: string } }
  expect(input).toMatchObject({ serverName: 'other', agentId: 'plan' })
  expect(input.description).toMatch(/^Sum up: word word .*…$/)
  expect(JSON.parse(cli.said.out)).toEqual(ANSWER)
  expect(cli.said.err).toBe('')
})

it(
  verifies('R002-09', 'shows the tree live on a terminal, and leaves it above the text'),
  async () => {
    const cli = fakeRun(subagent, {
      tools: { subagent_spawn: answering },
      terminal: { columns: 60, rows: 20 },
    })
    await cli.run('spawn', 'Read it')
    expect(cli.said.err).toContain('⠋ Read it · 0s · 0 tool calls')
    expect(cli.said.err).toContain('✓ Reading · 0s · 1 tool call · 2 turns')
    expect(cli.said.err.endsWith('\u001b[?25h')).toBe(true)
    expect(cli.said.out).toBe('All is well.\n')
  },
)

it('ends with Ctrl-C, with an exit code that says so and no tree left behind', async () => {
  const cli = fakeRun(subagent, {
    tools: {
      subagent_spawn: (_input, signal) =>
        new Promise((_resolve, reject) => {
          signal?.addEventListener('abort', () => reject(new Error('aborted')))
          setImmediate(() => cli.interrupt())
        }),
    },
    terminal: { columns: 60, rows: 20 },
  })
  await cli.run('spawn', 'Read it')
  expect(cli.said).toMatchObject({ out: '', failed: true })
  expect(cli.said.err).toMatch(/\u001b\[J\u001b\[\?25hInterrupted: the subagent is ended\.\n$/)
})

it('prints what a subagent had said before it failed, and fails', async () => {
  const failing = () => {
    throw new ExomonadError('SUBAGENT_FAILED', 'The subagent “Reading” failed: no model', {
      partial: 'So far',
    })
  }
  const cli = fakeRun(subagent, { tools: { subagent_spawn: failing } })
  await expect(cli.run('spawn', 'Read it')).rejects.toMatchObject({ code: 'SUBAGENT_FAILED' })
  expect(cli.said.out).toBe('So far\n')
})

it('refuses a number of turns that is none', async () => {
  const cli = fakeRun(subagent, { tools: {} })
  await expect(cli.run('spawn', 'Read it', '--max-turns', '0')).rejects.toThrow(
    '--max-turns 0: expected at least 1',
  )
})
