import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { diffOfFile, diffPage } from '../../../src/domain/formats/diff-parts.ts'

const one = `diff --git a/a.sql b/a.sql
--- a/a.sql
+++ b/a.sql
@@ -1,2 +1,2 @@
 keep
--- diff --git a/b.txt b/b.txt
+-- new
`
const two = `diff --git a/b.txt b/b.txt
new file mode 100644
--- /dev/null
+++ b/b.txt
@@ -0,0 +1,1 @@
+diff --git a/a.sql b/a.sql
`
const moved = `diff --git a/old name b/new name
similarity index 100%
rename from old name
rename to new name
`

describe('part of a diff', () => {
  it('is what is about one file, whatever its lines look like', () => {
    const diff = one + two + moved
    expect(diffOfFile(diff, 'a.sql')).toBe(one)
    expect(diffOfFile(diff, 'b.txt')).toBe(two)
    expect(diffOfFile(diff, 'new name')).toBe(moved)
    expect(diffOfFile(diff, 'old name')).toBeUndefined()
  })

  it('is all of it, page by page', () => {
    const lines = fc.array(fc.constantFrom('+a', ' b', '@@ -1 +1 @@'), { maxLength: 30 })
    fc.assert(
      fc.property(lines, fc.integer({ min: 1, max: 40 }), (some, most) => {
        const diff = some.map((line) => `${line}\n`).join('')
        let read = ''
        let from: number | null = 0
        while (from !== null) {
          const page = diffPage(diff, { from_line: from, max_lines: most })
          expect(page.total_lines).toBe(some.length)
          read += page.diff
          from = page.next_line ?? null
        }
        expect(read).toBe(diff)
      }),
    )
    expect(diffPage('+a\n', {})).toEqual({ diff: '+a\n' })
  })
})
