import { describe, expect, it } from 'vitest'
import { lastLines } from '../../../../src/core/agents/final-output.ts'
import { sessionName, taskName } from '../../../../src/core/sessions/session-names.ts'
import {
  outcomeOf,
  processVerdict,
  turnVerdict,
} from '../../../../src/core/sessions/session-verdict.ts'

describe('names', () => {
  it.each([
    ['npm test', 'npm-test'],
    ['npm test -- --watch', 'npm-test'],
    ['CI=1 NODE_ENV=test npm run build', 'npm-run'],
    ['/usr/bin/python3 ./scripts/Serve.py --port 80', 'python3-serve-py'],
    ['ls -la', 'ls'],
    ['  sleep 5; exit 3', 'sleep-5'],
    ['for i in $(seq 3); do echo "$i"; done', 'for-i'],
    ['(cd a/b/ && make)', 'cd-b'],
    ['“語”', 'task'],
    ['-', 'task'],
    [`${'x'.repeat(80)} y`, 'x'.repeat(30)],
    [`short ${'y'.repeat(80)}`, 'short'],
  ])('a task that runs %j is called %s', (command, name) => {
    expect(taskName(command)).toBe(name)
  })

  it('a session is called after its goal', () => {
    expect(sessionName('Find out how the parser reports errors.')).toBe('find-out-how-the')
    expect(sessionName('語を読む')).toBe('session')
  })
})

describe('verdicts', () => {
  it('of a process go by its exit code, and say how long it took', () => {
    expect(processVerdict({ exitCode: 0, exitSignal: null, at: null }, '', 3120)).toEqual({
      success: true,
      summary: 'exit code 0 after 3.1 s',
    })
    expect(processVerdict({ exitCode: 7, exitSignal: null, at: null }, '', 61_000)).toEqual({
      success: false,
      summary: 'exit code 7 after 61 s',
    })
    expect(
      processVerdict({ exitCode: null, exitSignal: 'SIGSEGV', at: null }, '', 1_200_000),
    ).toEqual({
      success: false,
      summary: 'ended by SIGSEGV after 20 min',
    })
    expect(
      processVerdict({ exitCode: null, exitSignal: null, at: null }, 'the host is gone', 40),
    ).toEqual({
      success: false,
      summary: 'the host is gone after 0 s',
    })
  })

  it('of a session go by what it reported, else by its last words, unless its turn was cut short', () => {
    const words = { text: 'All 12 pass.', turns: 2, reason: 'end_turn' }
    expect(turnVerdict({ outcome: null }, words)).toEqual({
      success: true,
      summary: 'All 12 pass.',
    })
    expect(
      turnVerdict({ outcome: { success: false, error: 'no access', partial: 'half' } }, words),
    ).toEqual({ success: false, summary: 'no access' })
    expect(turnVerdict({ outcome: { success: true, summary: 'done' } }, words)).toEqual({
      success: true,
      summary: 'done',
    })
    expect(turnVerdict({ outcome: null }, { ...words, reason: 'max_turn_requests' }).success).toBe(
      true,
    )
    for (const reason of ['cancelled', 'refusal', 'max_tokens', 'error: the model is away'])
      expect(turnVerdict({ outcome: null }, { ...words, reason })).toMatchObject({ success: false })
    expect(
      turnVerdict({ outcome: null }, { text: '', turns: 1, reason: 'end_turn' }).summary,
    ).not.toBe('')
    const long = turnVerdict({ outcome: null }, { ...words, text: 'x'.repeat(50_000) })
    expect(long.summary.length).toBeLessThan(5_000)
    expect(long.summary).toContain('agent_result')
  })

  it('are reported to the parent as a completion message, with what there is of a failure', () => {
    expect(outcomeOf({ success: true, summary: 'exit code 0 after 1 s' }, 'output')).toEqual({
      success: true,
      summary: 'exit code 0 after 1 s',
    })
    expect(
      outcomeOf({ success: false, summary: 'exit code 1' }, `${'x'.repeat(90_000)}the end`),
    ).toMatchObject({ success: false, error: 'exit code 1' })
    expect(
      outcomeOf({ success: false, summary: 'exit code 1' }, `${'x'.repeat(90_000)}the end`).partial,
    ).toMatch(/^x{3,4000}the end$/)
    expect(outcomeOf({ success: false, summary: 'exit code 1' }, ' \n')).toEqual({
      success: false,
      error: 'exit code 1',
    })
  })
})

describe('the end of an output', () => {
  it('is all of a short one', () => {
    expect(lastLines('one\ntwo\n', { marked: true })).toBe('one\ntwo')
    expect(lastLines('', { marked: true })).toBe('')
  })

  it('says where the rest is, of many lines and of long ones', () => {
    const many = Array.from({ length: 1500 }, (_, index) => `line ${index}`).join('\n')
    const [first, ...rest] = lastLines(many, { marked: true }).split('\n')
    expect(first).toBe('[The beginning is not shown]')
    expect(rest).toHaveLength(1000)
    expect(rest.at(-1)).toBe('line 1499')
    const long = lastLines('👍'.repeat(300_000), { marked: true })
    expect(long.length).toBeLessThan(200_200)
    expect(long.split('\n')[1]).toMatch(/^(👍)+$/u)
  })
})
