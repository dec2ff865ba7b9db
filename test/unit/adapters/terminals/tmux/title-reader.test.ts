import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTitleReader } from '../../../../../src/adapters/terminals/tmux/title-reader.ts'
import { parseTitle, viewedPane } from '../../../../../src/adapters/terminals/tmux/view.ts'

const read = (chunks: readonly Buffer[]): { drawn: string; titles: string[] } => {
  const titles: string[] = []
  const reader = createTitleReader((title) => titles.push(title))
  const drawn = Buffer.concat(chunks.map(reader)).toString()
  return { drawn, titles }
}

test('titles are taken out of what is drawn, wherever it is cut', () => {
  const whole = Buffer.from(
    '\u001B[1ma\u001B]0;80x24 none é\u0007b\u001B]0;second\u0007\u001B]8;;x\u0007c',
  )
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: whole.length })), (cuts) => {
      const places = [0, ...cuts.toSorted((one, other) => one - other), whole.length]
      const chunks = places.slice(1).map((end, index) => whole.subarray(places[index], end))
      expect(read(chunks)).toEqual({
        drawn: '\u001B[1mab\u001B]8;;x\u0007c',
        titles: ['80x24 none é', 'second'],
      })
    }),
  )
})

test('what begins as one and never ends is drawn', () => {
  const endless = `\u001B]0;${'x'.repeat(20_000)}`
  expect(read([Buffer.from(endless)]).drawn).toBe(endless)
})

test('a title says the size, the pane’s part of it, who leads and the name, and nothing that a terminal obeys', () => {
  expect(parseTitle('120x40 0.0.120.40 this a 1x1 none b\u0007\u001B[m')).toEqual({
    columns: 120,
    rows: 40,
    part: null,
    leads: 'this',
    title: 'a 1x1 none b [m',
  })
  expect(parseTitle('80x24 40.1.40.23 none ')).toMatchObject({
    part: { left: 40, top: 1, columns: 40, rows: 23 },
    leads: null,
    title: '',
  })
  expect(parseTitle('agent')).toBeUndefined()
})

test('the session of a view names its pane', () => {
  expect(['view-12-ab', 'view-look-3-0f', 'view-type-4-ff', 'exomonad'].map(viewedPane)).toEqual([
    '%12',
    '%3',
    '%4',
    undefined,
  ])
})
