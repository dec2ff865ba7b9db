import { expect, it } from 'vitest'
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
