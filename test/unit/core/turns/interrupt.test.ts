import { expect, it } from 'vitest'
import type { Pane, TypeResult } from '../../../../src/adapters/terminals/holder.ts'
import { createInterrupt } from '../../../../src/core/turns/interrupt.ts'
import { asPaneId } from '../../../../src/domain/ids.ts'
import type { Agent } from '../../../../src/domain/records.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { settingsOf } from '../../../helpers/settings.ts'
import { makeAgent } from '../make-agent.ts'

const NOW = 1_000_000

/** One agent, its pane, and what Escape there comes to; what was published, and how often it was pressed. */
async function interrupt(
  facts: Partial<Agent>,
  pane: Partial<Pane> | null = {},
  typed: TypeResult = { kind: 'typed' },
) {
  const agent = makeAgent({ name: 'busy', paneId: asPaneId('%1'), ...facts })
  const seen = { pressed: 0, published: [] as unknown[] }
  const call = createInterrupt({
    store: { agents: { get: async () => agent, list: async () => [agent] } } as never,
    multiplexer: {
      pressEscape: async () => {
        seen.pressed++
        return typed
      },
    } as never,
    publisher: { publish: async (event: unknown) => void seen.published.push(event) } as never,
    settings: settingsOf(),
    clock: () => NOW,
    log: silentLog(),
    panes: {
      find: async () =>
        pane === null
          ? undefined
          : ({
              ...{ paneId: asPaneId('%1'), dead: false, inMode: false, foreground: true },
              ...{ humanActiveAt: null },
              ...pane,
            } as Pane),
    } as never,
    observing: { look: async () => {} },
  })
  const outcome = await call({ kind: 'human', agent }, 'busy').then(
    ({ interrupted }) => interrupted,
    (error: { code: string }) => error.code,
  )
  return { outcome, ...seen, published: seen.published.length }
}

it.each([
  ['in its turn', { state: 'running' }],
  [
    'in a call of its own that waits',
    { state: 'waiting', stateReason: 'wait', stateSource: 'tool' },
  ],
  ['whose state is unknown', { state: 'unknown' }],
] as const)('an agent %s is interrupted, and that is written down', async (_, facts) => {
  expect(await interrupt(facts)).toEqual({ outcome: true, pressed: 1, published: 1 })
})

it.each([
  ['rests', false, { state: 'idle' }, {}],
  ['has ended', 'ALREADY_DEAD', { state: 'killed' }, {}],
  ['is a process', 'INVALID_ARG', { kind: 'process' }, {}],
  ['is being started', 'NOT_AVAILABLE', { state: 'spawning' }, {}],
  ['waits for a person', 'NOT_AVAILABLE', { state: 'waiting', stateSource: 'hook' }, {}],
  ['has no terminal any more', 'PANE_GONE', {}, null],
  ['has a terminal whose program ended', 'PANE_GONE', {}, { dead: true }],
  ['has a terminal in copy mode', 'NOT_AVAILABLE', {}, { inMode: true }],
  ['has another program in its terminal', 'NOT_AVAILABLE', {}, { foreground: false }],
  ['has a person typing there', 'NOT_AVAILABLE', {}, { humanActiveAt: NOW - 1000 }],
] as const)('nothing is pressed where it %s', async (_, outcome, facts, pane) => {
  expect(await interrupt(facts, pane)).toEqual({ outcome, pressed: 0, published: 0 })
})

it('what was not pressed is not written down', async () => {
  expect(await interrupt({}, {}, { kind: 'busy', reason: 'no' })).toMatchObject({
    ...{ outcome: 'NOT_AVAILABLE', published: 0 },
  })
  expect(await interrupt({}, {}, { kind: 'gone' })).toMatchObject({
    ...{ outcome: 'PANE_GONE', published: 0 },
  })
})
