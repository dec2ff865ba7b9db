import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { promptLines, withoutFirstPrompt } from '../../../../src/domain/formats/session-log.ts'

describe('a session’s log without its first prompt', () => {
  it.each([
    [
      'what was said before and after it',
      '── taken up\n\n> one\n  two\n  \n  three\n\nAnswer\n> quoted\n',
      '── taken up\n\n\nAnswer\n> quoted\n',
    ],
    ['whose end begins in the middle of it', '  two\n  three\n\nAnswer', 'Answer'],
    ['without any', 'Answer\n> quoted\n  more', 'Answer\n> quoted\n  more'],
    ['with nothing', '', ''],
    ['with nothing else', '\n> one\n  two\n\n', ''],
    ['that failed before it', '[stderr] no login\n── it ended', '[stderr] no login\n── it ended'],
  ])('%s', (_what, log, rest) => {
    expect(withoutFirstPrompt(log)).toBe(rest)
  })

  it('has nothing of the prompt and all of the rest, whatever stands in it, also where only its end is left', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            'secret',
            '> secret',
            '  secret',
            '── secret',
            '',
            ' ',
            '\r',
            '\r\n',
            '[stderr] secret',
          ),
          { minLength: 1, maxLength: 8 },
        ),
        fc.nat(20),
        (lines, cut) => {
          const log = `${promptLines(lines.join('\n'))}\n⏺ answer\n`
          const ends = log.split('\n').slice(Math.min(cut, log.split('\n').length - 3))
          expect(withoutFirstPrompt(ends.join('\n')).trim()).toBe('⏺ answer')
        },
      ),
      { numRuns: 300 },
    )
  })
})
