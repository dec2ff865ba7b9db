import assert from 'node:assert/strict'
import { test } from 'node:test'
import { occurrences } from '../src/index.ts'

test('every day at a time', () => {
  assert.deepEqual(occurrences('every day at 09:30', 3), [570, 2010, 3450])
})

test('every few days, and every week', () => {
  assert.deepEqual(occurrences('every 3 days at 00:00', 3), [0, 4320, 8640])
  assert.deepEqual(occurrences('every week at 08:00', 2), [480, 10_560])
})

test('refuses rules it does not know', () => {
  for (const rule of ['sometimes', 'every day at 25:00', 'every 0 days at 09:00']) assert.throws(() => occurrences(rule, 1), RangeError)
})
