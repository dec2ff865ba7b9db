import { describe, expect, it } from 'vitest'
import {
  onKeys,
  scrolledBy,
  scrollKeysIn,
} from '../../../../../src/surfaces/cli/agents/scroll-keys.ts'

describe('keys that scroll', () => {
  it.each([
    ['\u001b[A\u001b[B', ['up', 'down']],
    ['\u001bOA\u001bOB', ['up', 'down']],
    ['jk', ['down', 'up']],
    ['\u001b[5~\u001b[6~ b', ['page-up', 'page-down', 'page-down', 'page-up']],
    ['\u001b[H\u001b[FgG', ['top', 'bottom', 'top', 'bottom']],
    ['q\u0003', ['leave', 'leave']],
    // Of others nothing is mistaken for one of these.
    ['xyz\u001b[1;5A\u001b[15~é', []],
  ])('%j', (typed, keys) => {
    expect(scrollKeysIn(typed)).toEqual(keys)
  })

  it.each([
    ['up', 5, 4],
    ['up', 0, 0],
    ['down', 19, 20],
    ['down', 20, 20],
    ['page-up', 12, 2],
    ['page-up', 3, 0],
    ['page-down', 3, 13],
    ['page-down', 13, 20],
    ['top', 9, 0],
    ['bottom', 9, 20],
  ] as const)('%s from %d is %d', (key, from, to) => {
    expect(scrolledBy(key, from, { most: 20, page: 10 })).toBe(to)
  })

  it('are read in raw mode until it is stopped, and not where there is no terminal', () => {
    const done: unknown[] = []
    let typed = (_: string): void => {}
    const stdin = {
      isTTY: true,
      setRawMode: (isRaw: boolean) => done.push(isRaw),
      on: (_: 'data', listener: (chunk: string) => void) => (typed = listener),
      off: () => (typed = () => {}),
      resume: () => done.push('resume'),
      pause: () => done.push('pause'),
      async *[Symbol.asyncIterator]() {},
    }
    const terminal = { stdin } as unknown as Parameters<typeof onKeys>[0]
    const keys: string[] = []
    const stop = onKeys(terminal, (key) => keys.push(key))
    typed('jq')
    stop()
    typed('k')
    expect(keys).toEqual(['down', 'leave'])
    expect(done).toEqual([true, 'resume', false, 'pause'])
    onKeys({ ...terminal, stdin: { ...stdin, isTTY: false } }, () => {})()
    expect(done).toHaveLength(4)
  })
})
