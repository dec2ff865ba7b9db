import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../../../../../src/surfaces/cli/console/input/commands.ts'
import { parseLine } from '../../../../../../src/surfaces/cli/console/input/parse-line.ts'

const messageOf = (line: string): string => {
  const parsed = parseLine(line)
  return parsed.kind === 'error' ? parsed.message : `no error: ${parsed.kind}`
}

describe('a line of the console', () => {
  it.each([
    ['please look at src/a.ts', { kind: 'say', text: 'please look at src/a.ts' }],
    ['  indented', { kind: 'say', text: '  indented' }],
    ['two\nlines', { kind: 'say', text: 'two\nlines' }],
    ['//etc/hosts is wrong', { kind: 'say', text: '/etc/hosts is wrong' }],
    ['/fork', { kind: 'fork', context: 'inherit' }],
    ['/fork file-reader', { kind: 'fork', name: 'file-reader', context: 'inherit' }],
    ['/fork file-reader fresh', { kind: 'fork', name: 'file-reader', context: 'fresh' }],
    ['/kill', { kind: 'kill' }],
    ['/kill  auth ', { kind: 'kill', agent: 'auth' }],
    [
      '/send auth do  this,\n then that',
      { kind: 'send', agent: 'auth', message: 'do  this,\n then that' },
    ],
    ['/wait 30', { kind: 'wait', timeout: 30, agents: [] }],
    ['/wait 90s a b', { kind: 'wait', timeout: 90, agents: ['a', 'b'] }],
    ['/wait 5m main.auth', { kind: 'wait', timeout: 300, agents: ['main.auth'] }],
    ['/wait', { kind: 'wait', timeout: 300, agents: [] }],
    ['/wait auth 5m', { kind: 'wait', timeout: 300, agents: ['auth', '5m'] }],
    ['/wait 0', { kind: 'wait', timeout: 0, agents: [] }],
    ['/capture', { kind: 'capture' }],
    ['/cancel', { kind: 'cancel' }],
    ['/REAP', { kind: 'reap' }],
    ['/tree', { kind: 'tree' }],
    ['/pr', { kind: 'pr' }],
    ['/pr #12', { kind: 'pr', number: 12 }],
    ['/answer 2 use SQLite', { kind: 'answer', id: '2', text: 'use SQLite' }],
    ['/answer q-0a1b2c3d yes', { kind: 'answer', id: 'q-0a1b2c3d', text: 'yes' }],
    ['/answer use SQLite', { kind: 'answer', text: 'use SQLite' }],
    ['/answer 42', { kind: 'answer', text: '42' }],
    ['/approve', { kind: 'approve' }],
    ['/approve 1', { kind: 'approve', id: '1' }],
    ['/deny 1 too risky', { kind: 'deny', id: '1', reason: 'too risky' }],
    ['/deny too risky', { kind: 'deny', reason: 'too risky' }],
    ['/inbox', { kind: 'inbox', clear: false }],
    ['/inbox clear', { kind: 'inbox', clear: true }],
    ['/attach', { kind: 'attach' }],
    ['/attach auth', { kind: 'attach', agent: 'auth' }],
    ['/go auth', { kind: 'go', agent: 'auth' }],
    ['/next', { kind: 'next' }],
    ['/prev', { kind: 'previous' }],
    ['/previous', { kind: 'previous' }],
    ['/parent', { kind: 'parent' }],
    ['/child', { kind: 'child' }],
    ['/help', { kind: 'help' }],
    ['/quit', { kind: 'quit' }],
    ['/exit', { kind: 'quit' }],
  ])('%j is understood', (line, expected) => {
    expect(parseLine(line)).toEqual(expected)
  })

  it.each([
    ['/frok', 'There is no /frok. Did you mean /fork?'],
    ['/usr/bin/node fails', '//… sends text that begins with a slash'],
    ['/', 'There is no /.'],
    ['/send', 'Write /send AGENT TEXT'],
    ['/send auth', 'Write /send AGENT TEXT'],
    ['/send auth   ', 'Write /send AGENT TEXT'],
    ['/wait 2d', 'A day is the longest wait'],
    ['/fork my new child', '/fork takes a name only'],
    ['/go', 'Write /go AGENT'],
    ['/go a b', 'Write /go AGENT'],
    ['/pr auth', 'Write /pr [NUMBER]'],
    ['/reap all', '/reap takes nothing further.'],
    ['/answer', 'Write /answer [NUMBER] TEXT'],
    ['/inbox all', 'Write /inbox [clear]'],
    ['  ', 'Nothing is written.'],
  ])('%j is an error that says what to write', (line, words) => {
    expect(messageOf(line)).toContain(words)
  })

  it('knows every command that the help lists', () => {
    for (const { name } of COMMANDS) expect(messageOf(`/${name}`)).not.toContain('There is no')
  })

  it('answers every line, and says nothing of control characters in it', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom('/', 'a', ' ', '\u001b[2J', '\n', 'wait', '3') }),
        (line) => {
          const parsed = parseLine(line)
          if (parsed.kind === 'error') expect(parsed.message).not.toContain('\u001b')
        },
      ),
    )
  })
})
