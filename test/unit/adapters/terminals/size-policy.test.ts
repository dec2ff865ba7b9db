import { expect, it } from 'vitest'
import { sizeFor, type Looking } from '../../../../src/adapters/terminals/size-policy.ts'

const OWN = { columns: 200, rows: 50 }
let count = 0
const looks = (columns: number, rows: number, more: Partial<Looking> = {}): Looking => ({
  columns,
  rows,
  readOnly: false,
  embedded: false,
  typed: null,
  since: (count += 1),
  ...more,
})

it.each([
  ['nobody looks', [], OWN],
  ['one looks', [looks(120, 40)], { columns: 120, rows: 40 }],
  ['one has more room than the terminal', [looks(300, 80)], { columns: 300, rows: 80 }],
  ['one has little room', [looks(60, 10)], { columns: 80, rows: 20 }],
  ['one has little height', [looks(120, 10)], { columns: 120, rows: 20 }],
  ['one can only read', [looks(120, 40, { readOnly: true })], OWN],
  ['one has no room at all', [looks(2, 1), looks(200, 4), looks(19, 40)], OWN],
  ['another came later', [looks(120, 40), looks(100, 30)], { columns: 100, rows: 30 }],
  [
    'the first typed since',
    [looks(120, 40, { typed: 1000 }), looks(100, 30)],
    { columns: 120, rows: 40 },
  ],
  [
    'the one who typed last reads only',
    [looks(120, 40), looks(100, 30, { typed: 1000, readOnly: true })],
    { columns: 120, rows: 40 },
  ],
  [
    'a small part of a screen is alone',
    [looks(60, 15, { embedded: true })],
    { columns: 80, rows: 20 },
  ],
  [
    'a small part of a screen came later',
    [looks(120, 40), looks(60, 15, { embedded: true })],
    { columns: 120, rows: 40 },
  ],
  [
    'a small part of a screen was typed in',
    [looks(120, 40), looks(60, 15, { embedded: true, typed: 1000 })],
    { columns: 80, rows: 20 },
  ],
  [
    'a large part of a screen came later',
    [looks(120, 40), looks(90, 30, { embedded: true })],
    { columns: 90, rows: 30 },
  ],
])('where %s', (_, looking, expected) => {
  expect(sizeFor(looking, OWN)).toEqual(expected)
})
