import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  afterChange,
  CHANGES_FROM,
  columnsOf,
  type DeliveryChange,
  type DeliveryColumns,
  type DeliveryState,
  STATUS_OF,
  stateOf,
} from '../../../src/domain/delivery-state.ts'

const lane = fc.constantFrom('tool', 'hook', 'channel', 'acp', 'pane', 'inbox')
const at = fc.nat()
const text = fc.string({ maxLength: 8 })
const claim = { lane, batch: text, claimedAt: at }

const change: fc.Arbitrary<DeliveryChange> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ by: fc.constant('claim'), ...claim }) },
  { weight: 4, arbitrary: fc.record({ by: fc.constant('note'), handedAt: at }) },
  fc.record({
    by: fc.constantFrom('acked', 'failed', 'undecided'),
    why: fc.option(text),
    settledAt: at,
  }),
  fc.record({ by: fc.constant('withdraw'), why: text, settledAt: at }),
  { weight: 2, arbitrary: fc.record({ by: fc.constantFrom('requeue', 'reroute'), why: text }) },
)

const fresh = stateOf({
  state: 'queued',
  lane: null,
  batch: null,
  claimedAt: null,
  handedAt: null,
  settledAt: null,
  why: null,
})
const after = (changes: readonly DeliveryChange[]): DeliveryState =>
  changes.reduce<DeliveryState>((now, each) => afterChange(now, each) ?? now, fresh)
const names = Object.keys(STATUS_OF) as DeliveryState['name'][]

/** As the table of deliveries allows it: each column by itself. */
const anyColumns: fc.Arbitrary<DeliveryColumns> = fc.record({
  state: fc.constantFrom(...Object.values(STATUS_OF)),
  lane: fc.option(lane, { freq: 2 }),
  batch: fc.option(text, { freq: 2 }),
  claimedAt: fc.option(at, { freq: 2 }),
  handedAt: fc.option(at, { freq: 2 }),
  settledAt: fc.option(at, { freq: 2 }),
  why: fc.option(text, { freq: 2 }),
})

const stateOrNone = (columns: DeliveryColumns): DeliveryState | undefined => {
  try {
    return stateOf(columns)
  } catch {
    return undefined
  }
}

describe('the states of a delivery', () => {
  it('are derived from the row by any order of changes, and give it back', () => {
    const reached = new Set<DeliveryState['name']>()
    fc.assert(
      fc.property(fc.array(change, { maxLength: 40, size: 'max' }), (changes) => {
        let state: DeliveryState = fresh
        for (const each of changes) {
          state = afterChange(state, each) ?? state
          reached.add(state.name)
          const row = columnsOf(state)
          expect(stateOf(row)).toEqual(state)
          expect(columnsOf(stateOf(row))).toEqual(row)
        }
      }),
      { numRuns: 500 },
    )
    expect([...reached].toSorted()).toEqual(names.toSorted())
  })

  it('say all of a row, or refuse it', () => {
    let legal = 0
    fc.assert(
      fc.property(anyColumns, (columns) => {
        const state = stateOrNone(columns)
        if (state === undefined) return
        legal += 1
        expect(columnsOf(state)).toEqual(columns)
      }),
      { numRuns: 2000 },
    )
    expect(legal).toBeGreaterThan(50)
  })

  it.each([
    ['waiting in a lane', { state: 'queued', lane: 'pane' }],
    ['claimed without a batch', { state: 'sent', lane: 'pane', claimedAt: 1 }],
    ['handed by nobody', { state: 'sent', handedAt: 1 }],
    ['acked at no time', { state: 'acked' }],
    ['acked after a hand-over without a lane', { state: 'acked', settledAt: 2, handedAt: 1 }],
    ['withdrawn from a lane', { state: 'withdrawn', lane: 'pane', settledAt: 2, why: 'x' }],
    ['withdrawn for no reason', { state: 'withdrawn', settledAt: 2 }],
  ] satisfies [string, Partial<DeliveryColumns>][])('are none of a row that is %s', (_, given) => {
    const row = { ...columnsOf(fresh), ...given }
    expect(() => stateOf(row)).toThrow(`no delivery that is ${row.state} has these columns`)
  })

  // Written out: the store’s statements and its model are both made of the product’s table.
  it.each<[DeliveryChange['by'], Partial<Record<DeliveryState['name'], DeliveryState['name']>>]>([
    ['claim', { waiting: 'claimed' }],
    [
      'note',
      {
        claimed: 'handed',
        handed: 'handed',
        acked: 'acked',
        failed: 'failed',
        undecided: 'undecided',
      },
    ],
    ['acked', { waiting: 'acked', claimed: 'acked', handed: 'acked', undecided: 'acked' }],
    ['failed', { waiting: 'failed', claimed: 'failed', handed: 'failed' }],
    ['undecided', { waiting: 'undecided', claimed: 'undecided', handed: 'undecided' }],
    ['withdraw', { waiting: 'withdrawn' }],
    ['requeue', { waiting: 'waiting', claimed: 'waiting', handed: 'waiting' }],
    ['reroute', { waiting: 'waiting', claimed: 'waiting' }],
  ])('lead on by %s from where it applies, and from nowhere else', (by, expected) => {
    const claimed: DeliveryChange = { by: 'claim', lane: 'pane', batch: 'b', claimedAt: 1 }
    const handed: DeliveryChange = { by: 'note', handedAt: 2 }
    const settled = (as: 'acked' | 'failed' | 'undecided'): DeliveryChange[] => [
      claimed,
      handed,
      { by: as, why: 'x', settledAt: 3 },
    ]
    const every: Readonly<Record<DeliveryState['name'], DeliveryState>> = {
      waiting: fresh,
      claimed: after([claimed]),
      handed: after([claimed, handed]),
      acked: after(settled('acked')),
      failed: after(settled('failed')),
      undecided: after(settled('undecided')),
      withdrawn: after([{ by: 'withdraw', why: 'x', settledAt: 3 }]),
    }
    const [change = handed] = [
      claimed,
      handed,
      ...settled('acked'),
      ...settled('failed'),
      ...settled('undecided'),
      { by: 'withdraw', why: 'x', settledAt: 3 } as const,
      { by: 'requeue', why: 'x' } as const,
      { by: 'reroute', why: 'x' } as const,
    ].filter((one) => one.by === by)
    const found = names.flatMap((name) => {
      const next = afterChange(every[name], change)?.name
      return next === undefined ? [] : [[name, next]]
    })
    expect(Object.fromEntries(found)).toEqual(expected)
  })

  it('change only as the table says, and final ones for good', () => {
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20, size: 'max' }), change, (before, next) => {
        const state = after(before)
        const from: readonly DeliveryState['name'][] = CHANGES_FROM[next.by]
        const changed = afterChange(state, next)
        const isFinal = ['acked', 'failed', 'withdrawn'].includes(state.name)
        if (!from.includes(state.name)) expect(changed).toBeUndefined()
        else if (isFinal && changed !== undefined) expect(changed.name).toBe(state.name)
      }),
      { numRuns: 500 },
    )
  })

  it('keep the time of a hand-over that is noted after its confirmation', () => {
    const changes: DeliveryChange[] = [
      { by: 'claim', lane: 'pane', batch: 'b', claimedAt: 1 },
      { by: 'acked', why: null, settledAt: 2 },
      { by: 'note', handedAt: 3 },
    ]
    expect(after(changes)).toEqual({
      name: 'acked',
      why: null,
      settledAt: 2,
      handOver: { lane: 'pane', batch: 'b', claimedAt: 1, handedAt: 3 },
    })
  })

  it('have no time of a hand-over where there was none', () => {
    const read = after([{ by: 'acked', why: 'read in the inbox', settledAt: 2 }])
    expect(afterChange(read, { by: 'note', handedAt: 3 })).toBeUndefined()
  })
})
