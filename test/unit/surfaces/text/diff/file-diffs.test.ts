import { describe, expect, it } from 'vitest'
import { fileDiffs } from '../../../../../src/surfaces/text/diff/file-diffs.ts'

const DIFF = `diff --git a/src/a.ts b/src/a.ts
old mode 100644
new mode 100755
index 111..222
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,4 +1,5 @@ function main
 one
-two
-three
+zwei
+drei
+and more
 four
@@ -20 +21 @@
-last
\\ No newline at end of file
+the last
diff --git a/old.ts b/new.ts
similarity index 100%
rename from old.ts
rename to new.ts
diff --git "a/gr\\303\\274n.png" "b/gr\\303\\274n.png"
new file mode 100644
index 000..333
Binary files /dev/null and "b/gr\\303\\274n.png" differ
diff --git a/link b/link
new file mode 120000
--- /dev/null
+++ b/link
@@ -0,0 +1 @@
+elsewhere
\\ No newline at end of file
`

describe('a diff, file by file', () => {
  const [changed, renamed, picture, link] = fileDiffs(DIFF)

  it('has its hunks, and what replaces what', () => {
    expect(changed?.hunks.map(({ head }) => head)).toEqual([
      '@@ -1,4 +1,5 @@ function main',
      '@@ -20 +21 @@',
    ])
    const pairs = [...(changed?.counterparts ?? [])]
      .filter(([row]) => row.kind === 'old')
      .map(([row, other]) => [row.text, other.text])
    expect(pairs).toEqual([
      ['two', 'zwei'],
      ['three', 'drei'],
      ['last', 'the last'],
    ])
  })

  it('says what is not in its lines', () => {
    expect(changed?.facts).toEqual(['mode 100644 → 100755'])
    expect([...(changed?.unended ?? [])].map(({ text }) => text)).toEqual(['last'])
    expect(renamed).toMatchObject({
      status: 'renamed',
      oldPath: 'old.ts',
      path: 'new.ts',
      hunks: [],
    })
    expect(picture).toMatchObject({ path: 'grün.png', binary: true, status: 'added', hunks: [] })
    expect(link?.facts).toEqual(['symbolic link'])
  })

  it('makes what drives a terminal, or turns text around, harmless', () => {
    const [file] = fileDiffs(`diff --git a/x b/x
--- a/x
+++ b/x
@@ -1 +1 @@
-ok
+\u001b[31mred\u202e\u0007
`)
    expect(file?.hunks[0]?.rows.map(({ text }) => text)).toEqual(['ok', 'red'])
  })

  it('is nothing of nothing', () => expect(fileDiffs('')).toEqual([]))
})
