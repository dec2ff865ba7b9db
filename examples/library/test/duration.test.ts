import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatDuration, parseDuration } from '../src/duration.ts'

test('parses one unit', () => {
  assert.equal(parseDuration('45m'), 45)
  assert.equal(parseDuration('2h'), 120)
  assert.equal(parseDuration('1d'), 1440)
})

test('parses several units, with or without spaces', () => {
  assert.equal(parseDuration('1h 30m'), 90)
  assert.equal(parseDuration('1d2h3m'), 1563)
})

test('refuses what is not a duration', () => {
  for (const text of ['', 'soon', '3 weeks', '-5m']) assert.throws(() => parseDuration(text), RangeError)
})

test('formats with the largest units first and leaves out zeros', () => {
  assert.equal(formatDuration(90), '1h 30m')
  assert.equal(formatDuration(1440), '1d')
  assert.equal(formatDuration(0), '0m')
})

test('what is formatted parses to the same', () => {
  for (const minutes of [1, 59, 60, 61, 1439, 1440, 1501, 10_000]) assert.equal(parseDuration(formatDuration(minutes)), minutes)
})
