import assert from 'node:assert/strict'
import { test } from 'node:test'
import { overlaps, subtract, union } from '../src/interval.ts'

const at = (start: number, end: number) => ({ start, end })

test('intervals that only touch do not overlap', () => {
  assert.equal(overlaps(at(0, 10), at(10, 20)), false)
  assert.equal(overlaps(at(0, 11), at(10, 20)), true)
})

test('union joins what overlaps or touches, in order', () => {
  assert.deepEqual(union([at(30, 40), at(0, 10), at(10, 20), at(5, 12)]), [at(0, 20), at(30, 40)])
})

test('union leaves out empty intervals', () => {
  assert.deepEqual(union([at(5, 5), at(1, 2)]), [at(1, 2)])
})

test('subtract keeps what no hole covers', () => {
  assert.deepEqual(subtract(at(0, 100), [at(50, 60), at(10, 20), at(15, 30)]), [at(0, 10), at(30, 50), at(60, 100)])
})

test('subtract with a hole over either end', () => {
  assert.deepEqual(subtract(at(10, 20), [at(0, 12), at(18, 30)]), [at(12, 18)])
  assert.deepEqual(subtract(at(10, 20), [at(0, 30)]), [])
})
