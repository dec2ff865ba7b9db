import { describe, expect, it } from 'vitest'
import { createBurst } from '../../../../src/core/fold/ahead/burst.ts'
import type { BranchName, Sha } from '../../../../src/domain/ids.ts'

const MAIN = 'main' as BranchName
const head = (number: number) => ({ number, head: `h${number}` as Sha })

function world() {
  let now = 1_000
  const burst = createBurst({ clock: () => now, span: 500 })
  burst.allow(true)
  const isDeferred = (number: number): boolean => burst.isDeferred(MAIN, number, head(number).head)
  return { burst, isDeferred, pass: (milliseconds: number) => void (now += milliseconds) }
}

describe('own checks that come together', () => {
  it('runs one that comes alone at once', () => {
    const { burst, isDeferred, pass } = world()
    burst.waits(MAIN)
    expect(isDeferred(1)).toBe(false)
    pass(600)
    burst.waits(MAIN)
    expect(isDeferred(2)).toBe(false)
  })

  it('lets those run that are in no chain, once nobody else is to be decided on', () => {
    const { burst, isDeferred } = world()
    burst.waits(MAIN)
    burst.waits(MAIN)
    burst.letGo(MAIN, { more: true })
    expect(isDeferred(2)).toBe(true)
    burst.letGo(MAIN)
    expect(isDeferred(2)).toBe(false)
  })

  it('keeps the second back until it is decided, and holds two or more', () => {
    const { burst, isDeferred, pass } = world()
    burst.waits(MAIN)
    pass(100)
    burst.waits(MAIN)
    expect(isDeferred(2)).toBe(true)
    expect(burst.quietIn(MAIN)).toBe(500)
    pass(2_000)
    // Nobody has decided yet.
    expect(isDeferred(2)).toBe(true)
    expect(burst.hold(MAIN, [head(2), head(3)])).toBe(true)
    expect([isDeferred(2), isDeferred(3), isDeferred(4)]).toEqual([true, true, false])
    burst.letGo(MAIN)
    expect([isDeferred(2), isDeferred(3)]).toEqual([false, false])
  })

  it('lets one that is left alone run by itself', () => {
    const { burst, isDeferred, pass } = world()
    burst.waits(MAIN)
    pass(100)
    burst.waits(MAIN)
    expect(burst.hold(MAIN, [head(2)])).toBe(false)
    expect(isDeferred(2)).toBe(false)
  })

  it('keeps nothing back where it may not', () => {
    const { burst, isDeferred } = world()
    burst.allow(false)
    burst.waits(MAIN)
    burst.waits(MAIN)
    expect(isDeferred(1)).toBe(false)
    expect(burst.hold(MAIN, [head(1), head(2)])).toBe(false)
  })
})
