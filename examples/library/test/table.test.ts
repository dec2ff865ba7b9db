import assert from 'node:assert/strict'
import { test } from 'node:test'
import { clockTime, renderTable } from '../src/index.ts'

test('minutes as a time of day', () => {
  assert.equal(clockTime(9 * 60 + 5), '09:05')
  assert.equal(clockTime(0), '00:00')
})

test('one line an entry, earliest first', () => {
  const text = renderTable([
    { start: 600, end: 630, title: 'Review' },
    { start: 540, end: 555, title: 'Stand-up' },
  ])
  assert.equal(text, '09:00–09:15  Stand-up\n10:00–10:30  Review')
})

test('a title that is too long ends with a mark', () => {
  assert.equal(renderTable([{ start: 540, end: 555, title: 'Stand-up meeting' }], 9), '09:00–09:15  Stand-up…')
})
