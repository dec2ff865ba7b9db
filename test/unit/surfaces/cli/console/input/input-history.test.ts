import { describe, expect, it } from 'vitest'
import {
  createHistory,
  newer,
  older,
  push,
} from '../../../../../../src/surfaces/cli/console/input/input-history.ts'

describe('the history of the input line', () => {
  it('goes back to the oldest and forward to what was being typed', () => {
    let at = older(push(push(createHistory(), 'one'), 'two'), 'draft')
    expect(at.text).toBe('two')
    at = older(at.history, at.text)
    expect(at.text).toBe('one')
    at = older(at.history, at.text)
    expect(at.text).toBe('one')
    at = newer(at.history)
    expect(at.text).toBe('two')
    at = newer(at.history)
    expect(at.text).toBe('draft')
    expect(newer(at.history).text).toBe('draft')
  })

  it('keeps neither blank lines nor the same line twice in a row, and begins at the end again', () => {
    const history = push(push(push(push(createHistory(['old']), 'x'), '  '), 'x'), 'y')
    expect(history.entries).toEqual(['old', 'x', 'y'])
    expect(older(push(older(history, '').history, 'z'), '').text).toBe('z')
  })

  it('gives the draft back where nothing was sent yet', () => {
    expect(older(createHistory(), 'typing').text).toBe('typing')
  })

  it('forgets the oldest of very many', () => {
    let history = createHistory()
    for (let count = 0; count < 600; count++) history = push(history, `line ${count}`)
    expect(history.entries).toHaveLength(500)
    expect(history.entries[0]).toBe('line 100')
  })
})
