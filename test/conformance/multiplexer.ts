import { describe } from 'vitest'
import { describeAdoption } from './multiplexer/adoption.ts'
import { useBench } from './multiplexer/bench.ts'
import type { Kind } from './multiplexer/create.ts'
import { describeEnding } from './multiplexer/ending.ts'
import { describeOpening } from './multiplexer/opening.ts'
import { describeTyping } from './multiplexer/typing.ts'

/** What every multiplexer does (src/adapters/multiplexer/multiplexer.ts), with real terminals and programs. */
export function describeMultiplexer(kind: Kind): void {
  describe(`the multiplexer ${kind}`, () => {
    const bench = useBench(kind)
    describe('opening', () => describeOpening(bench))
    describe('typing', () => describeTyping(bench))
    describe('ending', () => describeEnding(bench))
    describe('adoption', () => describeAdoption(bench))
  })
}
