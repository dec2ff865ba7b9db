import { expect, it } from 'vitest'
import { isNotLoaded } from '../../../web/src/parts/boundary.tsx'
import { wordsOf } from '../../../web/src/views/pulls/review/unsent.tsx'

it('what was written about a pull request that ended is all of it, with its places', () => {
  const comment = { id: 'x', isOpen: false, head: 'h', from: null, path: 'src/a.ts', line: 4 }
  const draft = {
    body: ' Not yet. ',
    comments: [
      { ...comment, body: 'Why?' },
      { ...comment, body: '  ' },
    ],
  }
  expect(wordsOf(draft as never)).toBe('Not yet.\n\nsrc/a.ts:4: Why?')
  expect(wordsOf({ body: '', comments: [] })).toBe('')
})

it.each([
  'Failed to fetch dynamically imported module: http://127.0.0.1:4000/assets/cost-1.js',
  'error loading dynamically imported module: http://127.0.0.1:4000/assets/cost-1.js',
  'Importing a module script failed.',
  'Unable to preload CSS for /assets/cost-1.css',
])('files of a view that could not be had are no fault of it: %s', (message) => {
  expect(isNotLoaded(new TypeError(message))).toBe(true)
  expect(isNotLoaded(new TypeError('x is undefined'))).toBe(false)
})
