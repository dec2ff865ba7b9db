import { describe } from 'vitest'
import { describeAdoption } from './multiplexer/adoption.ts'
import { useBench } from './multiplexer/bench.ts'
import type { Kind } from './multiplexer/create.ts'
import { describeAttaching } from './multiplexer/attaching.ts'
import { describeEnding } from './multiplexer/ending.ts'
import { describeHeadlessOnly } from './multiplexer/headless-only.ts'
import { describeLayout } from './multiplexer/layout.ts'
import { describeOwnViews } from './multiplexer/own-views.ts'
import { describeOpening } from './multiplexer/opening.ts'
import { describeRunnerOnly } from './multiplexer/runner-only.ts'
import { describeSizes } from './multiplexer/sizes.ts'
import { describeTmuxLayout } from './multiplexer/tmux-layout.ts'
import { describeTmuxOnly } from './multiplexer/tmux-only.ts'
import { describeTmuxSizes } from './multiplexer/tmux-sizes.ts'
import { describeTmuxStatus } from './multiplexer/tmux-status.ts'
import { describeTyping } from './multiplexer/typing.ts'

const ONLY = { tmux: describeTmuxOnly, headless: describeHeadlessOnly, runner: describeRunnerOnly }

/** What only this one does. */
export function describeOnly(kind: Kind): void {
  describe(`the multiplexer ${kind}`, () => {
    const bench = useBench(kind)
    describe(`${kind} only`, () => ONLY[kind](bench))
    if (kind === 'tmux') describe('layout in tmux', () => describeTmuxLayout(bench))
    if (kind === 'tmux') describe('sizes in tmux', () => describeTmuxSizes(bench))
    if (kind === 'tmux') describe('status line of tmux', () => describeTmuxStatus(bench))
  })
}

/**
 * What every multiplexer does (src/adapters/terminals/holder.ts), with real terminals and programs.
 */
export function describeMultiplexer(kind: Kind): void {
  describe(`the multiplexer ${kind}`, () => {
    const bench = useBench(kind)
    describe('opening', () => describeOpening(bench))
    describe('typing', () => describeTyping(bench))
    describe('ending', () => describeEnding(bench))
    describe('adoption', () => describeAdoption(bench))
    if (kind !== 'runner') describe('layout', () => describeLayout(bench))
    if (kind !== 'runner') describe('attaching', () => describeAttaching(bench))
    if (kind === 'tmux' || kind === 'headless') describe('sizes', () => describeSizes(bench))
    if (kind !== 'runner') describe('views of our own', () => describeOwnViews(bench))
  })
}
