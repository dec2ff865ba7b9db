import { describe, expect, it } from 'vitest'
import { changedFiles, diffLines } from '../../../../src/domain/formats/unified-diff.ts'

const DIFF = `diff --git a/src/query.sql b/src/query.sql
index 1111111..2222222 100644
--- a/src/query.sql
+++ b/src/query.sql
@@ -1,3 +1,4 @@ CREATE TABLE
--- dropped
++++ raised

 kept
+
\\ No newline at end of file
diff --git a/two words.txt b/two words.txt
new file mode 100644
--- /dev/null
+++ b/two words.txt\t
@@ -0,0 +1 @@
+x
diff --git "a/gr\\303\\274n\\t.txt" "b/gr\\303\\274n\\t.txt"
deleted file mode 100644
--- "a/gr\\303\\274n\\t.txt"
+++ /dev/null
@@ -1 +0,0 @@
-x
diff --git a/old name b/new/name
similarity index 100%
rename from old name
rename to new/name
diff --git a/logo.png b/logo.png
index 1111111..2222222 100644
Binary files a/logo.png and b/logo.png differ
diff --git a/run.sh b/run.sh
old mode 100644
new mode 100755
`
const file = (path: string, more: object) => ({
  ...{ path, oldPath: null, status: 'modified', additions: 0, deletions: 0, binary: false },
  ...more,
})

describe('a unified diff', () => {
  it('says which files change, how, and by how many lines', () => {
    expect(changedFiles(DIFF)).toEqual([
      file('src/query.sql', { additions: 2, deletions: 1 }),
      file('two words.txt', { status: 'added', additions: 1 }),
      file('grün\t.txt', { status: 'deleted', deletions: 1 }),
      file('new/name', { oldPath: 'old name', status: 'renamed' }),
      file('logo.png', { binary: true }),
      file('run.sh', {}),
    ])
    expect(changedFiles('')).toEqual([])
  })

  it('has lines that look like heads of files in its hunks, which are none', () => {
    const kinds = [...diffLines(DIFF)].slice(2, 10).map(({ kind }) => kind)
    expect(kinds).toEqual(['meta', 'meta', 'hunk', 'old', 'new', 'context', 'context', 'new'])
    expect([...diffLines(DIFF)].map(({ text }) => `${text}\n`).join('')).toBe(DIFF)
  })

  it('that was cut short in a hunk goes on with the next file', () => {
    const cut = DIFF.replace(' kept\n+\n', '')
    expect(changedFiles(cut).map(({ path }) => path)).toContain('two words.txt')
    expect(changedFiles(cut)[1]).toMatchObject({ status: 'added', additions: 1 })
  })
})
