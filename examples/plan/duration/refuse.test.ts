import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from '../src/duration.ts'

test('a bare number names no unit and is refused', () => {
  assert.throws(() => parseDuration('90'), RangeError)
})
