import assert from 'node:assert/strict'
import { test } from 'node:test'
import { freeSlots } from '../src/planner.ts'

const at = (start: number, end: number) => ({ start, end })
const day = at(9 * 60, 17 * 60)

test('an empty day is one slot', () => {
  assert.deepEqual(freeSlots(day, []), [day])
})

test('what is busy leaves the rest', () => {
  assert.deepEqual(freeSlots(day, [at(600, 630), at(720, 780)]), [at(540, 600), at(630, 720), at(780, 1020)])
})

test('slots that are too short are left out', () => {
  assert.deepEqual(freeSlots(day, [at(600, 630), at(720, 780)], '1h 30m'), [at(630, 720), at(780, 1020)])
})
