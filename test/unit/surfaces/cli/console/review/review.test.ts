import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ExomonadError } from '../../../../../../src/domain/errors.ts'
import { createFrame } from '../../../../../../src/surfaces/cli/console/frame.ts'
import { diffRows } from '../../../../../../src/surfaces/text/diff/diff-rows.ts'
import { lineOf } from '../../../../../../src/surfaces/cli/console/state.ts'
import { createPalette } from '../../../../../../src/surfaces/text/palette.ts'
import { displayWidth } from '../../../../../../src/surfaces/text/width.ts'
import { node, pull } from '../../../text/sample-tree.ts'
import { drive } from '../drive.ts'

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 111..222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@ function main
 one
-two
+zwei
+drei
 four
@@ -20,2 +21,1 @@
 twenty
-gone
diff --git a/old.ts b/new.ts
similarity index 90%
rename from old.ts
rename to new.ts
--- a/old.ts
+++ b/new.ts
@@ -5 +5 @@
--- a trap
+++ another
\\ No newline at end of file
`
const a = node('main.a', { pr: pull(3) })

/** The diff of #3, open, with what the daemon says to the rest. */
async function reviewing(
  answers: Parameters<typeof drive>[1] = {},
  diff: () => { head_sha: string; diff: string } = () => ({ head_sha: 'h1', diff: DIFF }),
) {
  const console = drive([a], { scrollback: () => ({}), pr_diff: diff, ...answers })
  console.store.dispatch({ type: 'place', place: 'overview' })
  console.press('down')
  console.type('d')
  await console.settled()
  const review = () => console.store.get().reviews[3]
  const draw = (columns = 80, rows = 24): readonly string[] =>
    createFrame()(console.store.get(), {
      columns,
      rows,
      palette: createPalette(false),
      now: 0,
      spin: 0,
    }).rows
  return { ...console, review, draw, at: () => review()?.rows[review()?.cursor ?? 0] }
}

/** A daemon whose answers to one tool come when they are asked for. */
const held = () => {
  const open: ((answer: unknown) => void)[] = []
  return {
    open,
    tool: () => new Promise((resolve) => void open.push(resolve)),
  }
}

describe('the rows of a diff', () => {
  it('have files, hunks and lines with their numbers', () => {
    expect(diffRows(DIFF).map(({ kind, text, line, old }) => [kind, text, line, old])).toEqual([
      ['file', 'src/a.ts +2 -2', null, null],
      ['hunk', '@@ -1,3 +1,4 @@ function main', null, null],
      ['context', 'one', 1, 1],
      ['old', 'two', null, 2],
      ['new', 'zwei', 2, null],
      ['new', 'drei', 3, null],
      ['context', 'four', 4, 3],
      ['hunk', '@@ -20,2 +21,1 @@', null, null],
      ['context', 'twenty', 21, 20],
      ['old', 'gone', null, 21],
      ['file', 'new.ts +1 -1', null, null],
      ['meta', 'rename from old.ts', null, null],
      ['meta', 'rename to new.ts', null, null],
      ['hunk', '@@ -5 +5 @@', null, null],
      ['old', '-- a trap', null, 5],
      ['new', '++ another', 5, null],
      ['note', '\\ No newline at end of file', null, null],
    ])
    expect(new Set(diffRows(DIFF).map(({ path }) => path))).toEqual(new Set(['src/a.ts', 'new.ts']))
    expect(diffRows('')).toEqual([])
  })

  it('let nothing drive the terminal', () => {
    const [, , row] = diffRows('diff --git a/a b/a\n@@ -0,0 +1 @@\n+x\u001b[2J\u0007y\r\n')
    expect(row?.text).toBe('xy')
  })
})

describe('reviewing a diff', () => {
  it('shows the lines with numbers and signs, and where the keys are', async () => {
    const console = await reviewing()
    expect(console.draw().slice(0, 7)).toEqual([
      expect.stringMatching(/^#3 · 2 files · src\/a\.ts +1\/17$/),
      '▶ src/a.ts +2 -2',
      '  @@ -1,3 +1,4 @@ function main',
      '   1   one',
      '   2 - two',
      '   2 + zwei',
      '   3 + drei',
    ])
    expect(console.draw().at(-1)).toMatch(/^c comment · v range · n p hunks .*\? keys$/)
  })

  it('goes by hunks and files, and stays where there is none', async () => {
    const console = await reviewing()
    const seen = 'nnnnppNNP'.split('').map((key) => {
      console.type(key)
      return console.at()?.text
    })
    expect(seen).toEqual([
      '@@ -1,3 +1,4 @@ function main',
      '@@ -20,2 +21,1 @@',
      '@@ -5 +5 @@',
      '@@ -5 +5 @@',
      '@@ -20,2 +21,1 @@',
      '@@ -1,3 +1,4 @@ function main',
      'new.ts +1 -1',
      'new.ts +1 -1',
      'src/a.ts +2 -2',
    ])
  })

  it('comments on a line, on a range, and takes back what stands at the cursor', async () => {
    const console = await reviewing()
    console.type('jjc')
    console.line('why one?')
    console.type('vjjjc')
    console.line('and these?')
    expect(console.review()?.comments).toEqual([
      { path: 'src/a.ts', from: 1, line: 1, body: 'why one?' },
      { path: 'src/a.ts', from: 1, line: 3, body: 'and these?' },
    ])
    const rows = console.draw()
    expect(rows[rows.indexOf('   1   one') + 1]).toBe('  ┊   line 1: why one?')
    expect(rows[rows.indexOf('▶  3 + drei') + 1]).toBe('  ┊   lines 1–3: and these?')
    console.type('u')
    expect(console.review()?.comments).toHaveLength(1)
  })

  it('says that what is gone has no line to comment on', async () => {
    const console = await reviewing()
    console.type('jjjc')
    console.line('was it needed?')
    expect(console.review()?.comments).toEqual([
      { path: 'src/a.ts', from: 2, line: 2, side: 'left', body: 'was it needed?' },
    ])
    console.type('u')
    expect(console.review()?.comments).toEqual([])
    // With one that is there it is about that.
    console.type('vjc')
    console.line('both')
    expect(console.review()?.comments).toEqual([
      { path: 'src/a.ts', from: 2, line: 2, body: 'both' },
    ])
  })

  it('comments on the lines of one file, where a range goes over several', async () => {
    const console = await reviewing()
    console.type('jjvNjjjjjc')
    console.line('both?')
    expect(console.review()?.comments).toEqual([
      { path: 'new.ts', from: 5, line: 5, body: 'both?' },
    ])
  })

  it.each([
    ['a', 'approve', ''],
    ['r', 'request_changes', 'Not yet.'],
    ['c', 'comment', 'Hm.'],
  ])('sends by %s, of the head that was looked at', async (key, verdict, body) => {
    const console = await reviewing({ pr_review: () => ({ replies: 0 }) })
    console.type('jjvjjc')
    console.line('why?')
    console.type('s')
    console.type('x')
    console.type(key)
    console.type(body)
    console.press('submit')
    await console.settled()
    const comments = [{ path: 'src/a.ts', start_line: 1, line: 2, body: 'why?' }]
    expect(console.calls.at(-1)).toBe(
      `the person: pr_review ${JSON.stringify({ pr_number: 3, verdict, body, comments, head_sha: 'h1' })}`,
    )
    expect(console.review()?.comments).toEqual([])
    expect(console.store.get().place).toBe('overview')
  })

  it('loses nothing where a review is refused, and shows newer commits on R', async () => {
    let head = 'h1'
    let diff = DIFF
    const console = await reviewing(
      {
        pr_review: () => {
          throw new ExomonadError('INVALID_ARG', 'There are newer commits.')
        },
      },
      () => ({ head_sha: head, diff }),
    )
    console.type('jjjjc')
    console.line('why zwei?')
    console.type('s')
    console.type('r')
    console.line('Not yet.')
    await console.settled()
    expect(lineOf(console.store.get()).text).toBe('Not yet.')
    expect(console.view(a.id).notices.at(-1)?.text).toContain('newer commits')
    console.press('escape')
    head = 'h2'
    diff = DIFF.replace('@@ -1,3 +1,4 @@ function main\n one\n-two\n+zwei\n+drei\n four\n', '')
    console.type('R')
    await console.settled()
    // Its line is gone: it stands at its file.
    expect(console.review()).toMatchObject({ head: 'h2', comments: [{ body: 'why zwei?' }] })
    const rows = console.draw()
    expect(rows.findIndex((row) => row.includes('line 2: why zwei?'))).toBe(
      rows.findIndex((row) => row.includes('src/a.ts +0 -1')) + 1,
    )
    expect(console.view(a.id).notices.at(-1)?.text).toContain('#3 has newer commits')
  })

  it('sends a review that failed again under the same key, and another one under its own', async () => {
    let fails = 2
    const console = await reviewing({
      pr_review: () => {
        if (fails-- > 0) throw new ExomonadError('FORGE_UNAVAILABLE', 'It does not answer.')
        return { replies: 0 }
      },
    })
    console.type('s')
    console.type('c')
    console.line('Why?')
    await console.settled()
    console.press('submit')
    await console.settled()
    expect(new Set(console.keys).size).toBe(1)
    console.type('!')
    console.press('submit')
    await console.settled()
    expect(console.keys).toHaveLength(3)
    expect(new Set(console.keys).size).toBe(2)
    expect(console.store.get().place).toBe('overview')
  })

  it('sends a review once, and keeps what is written meanwhile', async () => {
    const { open, tool } = held()
    const console = await reviewing({ pr_review: tool })
    console.type('jjc')
    console.line('sent')
    for (const body of ['Once.', 'Twice.']) {
      console.type('s')
      console.type('c')
      console.line(body)
      await console.settled()
    }
    expect(open).toHaveLength(1)
    expect(console.view(a.id).notices.at(-1)?.text).toContain('on its way already')
    expect(lineOf(console.store.get()).text).toBe('Twice.')
    console.press('escape')
    console.type('c')
    console.line('written meanwhile')
    console.type('c')
    console.type('half')
    open[0]?.({ replies: 0 })
    await console.settled()
    expect(console.review()?.comments.map(({ body }) => body)).toEqual(['written meanwhile'])
    expect(console.store.get()).toMatchObject({ place: 'review', ask: { line: { text: 'half' } } })
    // It can be sent again then.
    console.press('escape')
    console.type('s')
    console.type('c')
    console.press('submit')
    await console.settled()
    expect(open).toHaveLength(2)
  })

  it('goes nowhere from where one went meanwhile', async () => {
    const sent = held()
    const merged = held()
    const console = await reviewing({ pr_review: sent.tool, merge_pr: merged.tool })
    console.type('s')
    console.type('a')
    console.press('submit')
    console.type('m')
    console.type('y')
    await console.settled()
    console.press('escape', 'submit')
    expect(console.store.get().place).toBe('conversation')
    console.type('half')
    sent.open[0]?.({ replies: 0 })
    merged.open[0]?.({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] })
    await console.settled()
    expect(console.store.get().place).toBe('conversation')
    expect(lineOf(console.store.get()).text).toBe('half')
  })

  it('keeps the line that is written when a merge is done', async () => {
    const { open, tool } = held()
    const console = await reviewing({ merge_pr: tool })
    console.type('m')
    console.type('y')
    console.type(':half')
    await console.settled()
    open[0]?.({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] })
    await console.settled()
    expect(console.store.get().place).toBe('review')
    expect(lineOf(console.store.get()).text).toBe(':half')
  })

  it('writes about the diff that was seen, and shows a newer one after that', async () => {
    let head = 'h1'
    const console = await reviewing({ pr_review: () => ({ replies: 0 }) }, () => ({
      head_sha: head,
      diff: head === 'h1' ? DIFF : '',
    }))
    console.type('jj')
    head = 'h2'
    console.type('Rc')
    await console.settled()
    expect(console.view(a.id).notices.at(-1)?.text).toContain('#3 has newer commits')
    expect(console.review()).toMatchObject({ head: 'h1', cursor: 2 })
    console.line('about one')
    expect(console.review()).toMatchObject({
      head: 'h2',
      comments: [{ path: 'src/a.ts', from: 1, line: 1, body: 'about one' }],
    })
    head = 'h3'
    console.type('R')
    console.type('s')
    console.type('c')
    await console.settled()
    console.line('of h2')
    await console.settled()
    expect(console.calls.at(-1)).toContain('"head_sha":"h2"')
  })

  it('shows the latest read, whichever is answered last', async () => {
    const { open, tool } = held()
    const console = await reviewing({ pr_diff: tool })
    console.type('R')
    await console.settled()
    open[1]?.({ head_sha: 'newer', diff: DIFF })
    await console.settled()
    open[0]?.({ head_sha: 'older', diff: '' })
    await console.settled()
    expect(console.review()?.head).toBe('newer')
  })

  it('merges the head that was seen when it asked, of all that were seen the newest', async () => {
    let head = 'h1'
    const { tool, open } = held()
    const console = await reviewing({ merge_pr: tool, pr_review: () => ({ replies: 0 }) }, () => ({
      head_sha: head,
      diff: DIFF,
    }))
    console.type('m')
    expect(console.draw().join('\n')).toContain('Merge #3 at h1?')
    head = 'h2'
    console.store.dispatch({ type: 'review-read', number: 3, head, diff: DIFF })
    console.type('y')
    await console.settled()
    expect(console.calls.at(-1)).toContain('"head_sha":"h1"')
    open[0]?.({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] })
    await console.settled()
    // The preview has the newer one.
    const content = { kind: 'diff', number: 3, head: 'h3', diff: DIFF } as const
    console.store.dispatch({ type: 'content', agent: a.id, tab: 'diff', content })
    console.type('m')
    expect(console.store.get().ask).toMatchObject({ kind: 'merge', head: 'h3' })
  })

  it('merges what was made of a review that asked for changes', async () => {
    const console = await reviewing({ pr_review: () => ({ replies: 0 }) })
    for (const [key, head] of [
      ['c', 'h1'],
      ['r', ''],
    ]) {
      console.type('s')
      console.type(key ?? '')
      console.press('submit')
      await console.settled()
      console.type('m')
      expect(console.store.get().ask).toMatchObject({ kind: 'merge', head })
      console.press('escape')
      console.type('d')
      await console.settled()
    }
  })

  it('keeps what is not sent when one goes back or wants to leave', async () => {
    const console = await reviewing()
    console.type('jjvjj')
    console.press('escape')
    expect(console.review()?.anchor).toBeNull()
    console.type('c')
    console.line('kept')
    console.press('escape')
    expect(console.store.get().place).toBe('overview')
    console.type('q')
    expect([console.store.get().ask, console.quits()]).toEqual([{ kind: 'leave', comments: 1 }, 0])
    console.type('n')
    console.type('d')
    await console.settled()
    expect(console.review()?.comments).toMatchObject([{ body: 'kept' }])
    console.press('escape')
    console.type('q')
    console.type('y')
    expect(console.quits()).toBe(1)
  })

  it('merges what was looked at, after asking', async () => {
    const console = await reviewing({
      merge_pr: () => ({ sha: 'abc', next: '', retargeted: [], siblings_behind: [] }),
    })
    console.type('m')
    console.type('y')
    await console.settled()
    expect(console.calls.at(-1)).toBe('the person: merge_pr {"pr_number":3,"head_sha":"h1"}')
    expect(console.store.get().place).toBe('overview')
  })

  it('runs commands too, and says why there is no diff', async () => {
    const console = await reviewing({
      pr_diff: () => {
        throw new ExomonadError('PR_NOT_FOUND', 'There is no #3.')
      },
    })
    expect(console.draw().join('\n')).toContain('There is no #3.')
    console.line('/send a hello')
    await console.settled()
    expect(console.calls.at(-1)).toBe(`the person: send {"to":"${a.id}","message":"hello"}`)
    expect(console.store.get().place).toBe('review')
  })

  it('keeps the cursor on the screen in diffs of every shape', async () => {
    const console = await reviewing()
    const text = fc.string({ unit: 'grapheme', maxLength: 150 })
    fc.assert(
      fc.property(
        fc.array(text, { minLength: 1, maxLength: 80 }),
        fc.nat(100),
        fc.integer({ min: 40, max: 120 }),
        fc.integer({ min: 10, max: 40 }),
        (lines, by, columns, rows) => {
          const clean = lines.map((one) => one.replaceAll(/[\r\n]/g, ''))
          const diff = `diff --git a/a b/a\n@@ -0,0 +1,${clean.length} @@\n${clean.map((one) => `+${one}\n`).join('')}`
          console.store.dispatch({ type: 'review-read', number: 3, head: 'x', diff })
          console.store.dispatch({ type: 'review-move', by: Number.NEGATIVE_INFINITY })
          console.store.dispatch({ type: 'review-move', by })
          const drawn = console.draw(columns, rows)
          expect(drawn).toHaveLength(rows)
          expect(drawn.filter((row) => row.startsWith('▶'))).toHaveLength(1)
          for (const row of drawn) expect(displayWidth(row)).toBeLessThanOrEqual(columns)
          // As much of the diff is seen as there is room for.
          const blank = drawn.slice(1, -1).filter((row) => row === '').length
          if (clean.length + 2 >= rows) expect(blank).toBe(0)
        },
      ),
      { numRuns: 100, endOnFailure: true },
    )
  })
})
