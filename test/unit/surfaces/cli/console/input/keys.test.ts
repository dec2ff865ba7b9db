import type { Key as InkKey } from 'ink'
import { describe, expect, it } from 'vitest'
import { keysOf } from '../../../../../../src/surfaces/cli/console/input/keys.ts'

const plain = Object.fromEntries(
  'upArrow downArrow leftArrow rightArrow pageDown pageUp home end return escape ctrl shift tab backspace delete meta super hyper capsLock numLock'
    .split(' ')
    .map((name) => [name, false]),
) as unknown as InkKey
const key = (facts: Partial<InkKey>): InkKey => ({ ...plain, ...facts })

describe('the keys of the console', () => {
  it('takes a text and the Enter after it apart where they came in one piece', () => {
    const insert = (text: string) => ({ kind: 'edit', action: { kind: 'insert', text } })
    expect(keysOf('one\rtwo', plain)).toEqual([insert('one'), { kind: 'submit' }, insert('two')])
    expect(keysOf('typed early\n', plain)).toEqual([insert('typed early'), { kind: 'submit' }])
    expect(keysOf('ab\u0015', plain)).toEqual([
      insert('ab'),
      { kind: 'edit', action: { kind: 'kill-to-start' } },
    ])
  })

  it('goes through the tree with Alt and an arrow, through the line with the arrow alone', () => {
    expect(keysOf('', key({ leftArrow: true, meta: true }))).toEqual([{ kind: 'previous' }])
    expect(keysOf('', key({ downArrow: true, meta: true }))).toEqual([{ kind: 'child' }])
    expect(keysOf('', key({ leftArrow: true }))).toEqual([
      { kind: 'edit', action: { kind: 'left' } },
    ])
  })

  it('begins a new line with Alt-Enter, and ignores what means nothing', () => {
    expect(keysOf('', key({ return: true, meta: true }))).toEqual([
      { kind: 'edit', action: { kind: 'insert', text: '\n' } },
    ])
    expect(keysOf('x', key({ meta: true }))).toEqual([])
    expect(keysOf('z', key({ ctrl: true }))).toEqual([])
  })
})
