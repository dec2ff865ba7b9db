import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from '../src/duration.ts'

test('a bare number is minutes', () => {
  assert.equal(parseDuration('90'), 90)
})
