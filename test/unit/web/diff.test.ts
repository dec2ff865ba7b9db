import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fileDiffs } from '../../../src/surfaces/text/diff/file-diffs.ts'
import { folderOf } from '../../../web/src/parts/diff/folders.ts'
import {
  linesBetween,
  linesOf,
  rowsOf,
  type Attached,
  type Layout,
  type Line,
} from '../../../web/src/parts/diff/lines.ts'
import { segmentsOf, wordChanges } from '../../../web/src/parts/diff/words.ts'

const file = (path: string, body: string): string =>
  `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n${body}`
const FILES = fileDiffs(
  file('src/a.ts', '@@ -1,3 +1,4 @@\n one\n-two\n+zwei\n+drei\n four\n') +
    file('src/deep/down/b.ts', '@@ -9,2 +9,1 @@\n nine\n-ten\n') +
    'diff --git a/logo.png b/logo.png\nBinary files a/logo.png and b/logo.png differ\n',
)
const lines = (layout: Partial<Layout> = {}): Line[] =>
  linesOf(FILES, { split: false, folded: new Set(), attached: [], ...layout })
const attached = (path: string, line: number | null): Attached => ({
  key: `${path}:${line}`,
  path,
  line,
  render: () => null,
})
const shown = (line: Line): string => {
  switch (line.kind) {
    case 'row':
      return `${line.row.kind} ${line.row.text}`
    case 'pair':
      return `${line.old?.text ?? ''}|${line.now?.text ?? ''}`
    case 'attached':
      return `attached ${line.attached.key}`
    default:
      return `${line.kind} ${line.file.path}`
  }
}

describe('the lines of a diff', () => {
  it('stand below one another, or side by side', () => {
    expect(lines().slice(0, 7).map(shown)).toEqual([
      'file src/a.ts',
      'hunk src/a.ts',
      'context one',
      'old two',
      'new zwei',
      'new drei',
      'context four',
    ])
    expect(lines({ split: true }).slice(2, 6).map(shown)).toEqual([
      'one|one',
      'two|zwei',
      '|drei',
      'four|four',
    ])
  })

  it('has what is said below the lines it is about, and below the file where those are gone', () => {
    const said = [attached('src/a.ts', 3), attached('src/a.ts', 900), attached('src/a.ts', null)]
    for (const split of [false, true]) {
      const all = lines({ split, attached: said }).map(shown)
      expect(all.slice(0, 3)).toEqual([
        'file src/a.ts',
        'attached src/a.ts:900',
        'attached src/a.ts:null',
      ])
      expect(all[all.indexOf('attached src/a.ts:3') - 1]).toMatch(/drei$/)
    }
  })

  it('has what is said of deleted lines below those', () => {
    const said: Attached = { ...attached('src/a.ts', 2), side: 'left' }
    const all = lines({ attached: [said] }).map(shown)
    expect(all[all.indexOf('attached src/a.ts:2') - 1]).toBe('old two')
    const split = lines({ split: true, attached: [said] }).map(shown)
    expect(split[split.indexOf('attached src/a.ts:2') - 1]).toBe('two|zwei')
  })

  it('leaves out those of a folded file, and says why a binary one has none', () => {
    const folded = lines({ folded: new Set(['src/a.ts']) })
    expect(folded.filter((line) => line.file.path === 'src/a.ts').map(shown)).toEqual([
      'file src/a.ts',
    ])
    expect(folded.at(-1)).toMatchObject({ kind: 'words' })
  })

  it('gives each line a key of its own, with the numbers of the new version', () => {
    const all = lines({ attached: [attached('src/a.ts', 2)] })
    expect(new Set(all.map(({ key }) => key)).size).toBe(all.length)
    expect(all.flatMap(rowsOf).flatMap(({ line }) => line ?? [])).toEqual([1, 2, 3, 4, 9])
  })

  it('takes a range from any of its ends, within one file', () => {
    const all = lines()
    const at = (text: string) => all.findIndex((line) => shown(line) === text)
    const range = { path: 'src/a.ts', from: 1, line: 3, text: ['one', 'zwei', 'drei'] }
    expect(linesBetween(all, at('context one'), at('new drei'))).toEqual(range)
    expect(linesBetween(all, at('new drei'), at('context one'))).toEqual(range)
    const old = { path: 'src/a.ts', from: 2, line: 2, side: 'left', text: ['two'] }
    expect(linesBetween(all, at('old two'), at('old two'))).toEqual(old)
    const split = lines({ split: true })
    const pair = split.findIndex((line) => shown(line) === 'two|zwei')
    expect(linesBetween(split, pair, pair)).toMatchObject({ line: 2, text: ['zwei'] })
    expect(linesBetween(split, pair, pair, 'left')).toEqual(old)
    expect(linesBetween(all, at('hunk src/a.ts'), at('hunk src/a.ts'))).toBeNull()
    expect(linesBetween(all, at('context four'), at('context nine'))).toEqual({
      path: 'src/deep/down/b.ts',
      from: 9,
      line: 9,
      text: ['nine'],
    })
  })
})

describe('words that changed', () => {
  it('are found, where lines have something in common', () => {
    expect(wordChanges('const a = 1', 'const b = 1')).toEqual({ old: [[6, 7]], now: [[6, 7]] })
    expect(wordChanges('one two three', 'nothing of that')).toBeNull()
    expect(wordChanges('x'.repeat(10_000), 'y')).toBeNull()
  })

  it('cut a line with its tokens into parts that are the line', () => {
    const text = fc.string({ maxLength: 30 })
    const span = fc.tuple(fc.nat(35), fc.nat(35)).map(([a, b]) => [a, a + b] as const)
    const tokens = fc.array(
      fc.record({ length: fc.nat(9), token: fc.constantFrom('token-keyword', undefined) }),
    )
    fc.assert(
      fc.property(text, tokens, fc.array(span, { maxLength: 4 }), (line, given, changed) => {
        const parts = segmentsOf(line, given, changed)
        expect(parts.map((part) => part.text).join('')).toBe(line)
        let at = 0
        for (const part of parts) {
          for (let index = at; index < at + part.text.length; index++)
            expect(part.changed).toBe(changed.some(([from, to]) => from <= index && index < to))
          at += part.text.length
        }
      }),
    )
  })
})

describe('the folders of a diff', () => {
  it('are one where a folder has nothing but another', () => {
    const root = folderOf(FILES)
    expect(root.files.map(({ path }) => path)).toEqual(['logo.png'])
    const [src] = root.folders
    expect(src).toMatchObject({ name: 'src', folders: [{ name: 'deep/down' }] })
  })
})
