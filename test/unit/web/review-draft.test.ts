import { describe, expect, it } from 'vitest'
import { fileDiffs } from '../../../src/surfaces/text/diff/file-diffs.ts'
import {
  afterSending,
  placedIn,
  toSend,
  type Comment,
} from '../../../web/src/views/pulls/review/placed.ts'

const HEAD = 'b'.repeat(40)
const diff = (body: string) =>
  fileDiffs(`diff --git a/a.ts b/a.ts\n--- a/a.ts\n+++ b/a.ts\n${body}`)
const comment = (facts: Partial<Comment>): Comment => ({
  ...{ id: '1', path: 'a.ts', from: 1, line: 1, body: 'Why?', isOpen: false },
  ...{ head: 'a'.repeat(40), text: ['one'] },
  ...facts,
})
const place = (facts: Partial<Comment>, files = NOW) =>
  placedIn([comment(facts)], HEAD, () => files)

const NOW = diff('@@ -1,4 +1,6 @@\n+first\n one\n-two\n-two\n+zwei\n+drei\n+one\n four\n')

describe('a comment of a review that is not sent yet', () => {
  it('stands where it was written, while that is shown', () => {
    const placed = placedIn([comment({ head: HEAD })], HEAD, () => {
      throw new Error('nothing is to be looked for')
    })
    expect(placed).toMatchObject([{ standing: 'as written', at: { from: 1, line: 1 } }])
  })

  it('goes with its lines into another version, to the nearest that are the same', () => {
    expect(place({})).toMatchObject([{ standing: 'moved', at: { from: 2, line: 2 } }])
    expect(place({ from: 6, line: 6 })).toMatchObject([{ at: { from: 5, line: 5 } }])
    expect(place({ from: 3, line: 4, text: ['zwei', 'drei'] })).toMatchObject([
      { standing: 'as written', at: { from: 3, line: 4 } },
    ])
    expect(toSend(place({ body: ' Why? ' }))).toEqual([{ path: 'a.ts', line: 2, body: 'Why?' }])
  })

  it('keeps to its side', () => {
    const old = { side: 'left', from: 2, line: 2, text: ['two'] } as const
    expect(toSend(place(old))).toEqual([{ path: 'a.ts', line: 2, side: 'left', body: 'Why?' }])
    expect(place({ text: ['two'] })).toMatchObject([{ standing: 'gone' }])
  })

  it('is sent of its file, with where it was, once its lines are gone', () => {
    const placed = place({ from: 3, line: 4, text: ['zwei', 'vier'] })
    expect(placed).toMatchObject([{ standing: 'gone', at: null }])
    expect(toSend(placed)).toEqual([{ path: 'a.ts', body: 'On lines 3–4 of aaaaaaaa:\n\nWhy?' }])
    expect(place({ path: 'b.ts' })).toMatchObject([{ standing: 'gone' }])
  })

  it('without words is not sent', () => expect(toSend(place({ body: ' \n' }))).toEqual([]))
})

describe('a review that was sent', () => {
  const sent = { comments: [comment({}), comment({ id: '2', body: ' ' })], body: 'Two things.' }

  it('is forgotten, but for what was written while it was under way', () => {
    expect(afterSending(sent, sent)).toEqual({ comments: [sent.comments[1]], body: '' })
    const changed = comment({ body: 'Why not?' })
    const added = comment({ id: '3', body: 'And this.' })
    const now = { comments: [changed, added], body: 'Three things.' }
    expect(afterSending(now, sent)).toEqual(now)
  })
})
