import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fit, plural } from '../src/text.ts'

test('fit pads short text', () => {
  assert.equal(fit('Lunch', 8), 'Lunch   ')
})

test('fit cuts long text and adds no mark of its own', () => {
  assert.equal(fit('Stand-up meeting', 8), 'Stand-up')
})

test('plural adds an s except for one', () => {
  assert.equal(plural(1, 'slot'), '1 slot')
  assert.equal(plural(0, 'slot'), '0 slots')
})
