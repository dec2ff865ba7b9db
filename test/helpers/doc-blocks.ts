import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const top = join(import.meta.dirname, '..', '..')

/** A fenced block of a page, with where it stands. */
export interface DocBlock {
  readonly page: string
  readonly line: number
  /** The first word behind the fence; `text` is output, a picture or anything nobody could run. */
  readonly language: string
  readonly text: string
  /** Of `<!-- not run: reason -->` in the line above (or above an empty one). */
  readonly notRun: string | null
}

/**
 * Every page for people: what a checkout shows and what the site has. The made ones are left out,
 * whose examples test/unit/surfaces/cli/help-examples.test.ts tries.
 */
export const DOC_PAGES: readonly string[] = [
  'README.md',
  'REVIEW.md',
  'examples/README.md',
  ...readdirSync(join(top, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/^reference\b|node_modules|^\.vitepress/.test(name))
    .map((name) => `docs/${name}`)
    .toSorted(),
]

/** The test that runs the `sh` blocks of a page, all of them and in order. */
export const RUN_BY: Readonly<Record<string, string>> = {
  'README.md': 'test/integration/docs/guide.test.ts',
  'docs/guide.md': 'test/integration/docs/guide.test.ts',
  'docs/daily.md': 'test/integration/docs/guide.test.ts',
  'docs/console.md': 'test/integration/docs/guide.test.ts',
  'docs/headless.md': 'test/integration/docs/guide.test.ts',
  'docs/recipes.md': 'test/integration/docs/recipes.test.ts',
  'docs/github.md': 'test/integration/github/docs.test.ts',
  'docs/elsewhere.md': 'test/integration/cli/elsewhere.test.ts',
}

export const readDoc = (page: string): string => readFileSync(join(top, page), 'utf8')

/** The blocks of a page in its order; those in lists are without the list's indentation. */
export function blocksOf(page: string): DocBlock[] {
  const lines = readDoc(page).split('\n')
  const blocks: DocBlock[] = []
  for (let at = 0; at < lines.length; at += 1) {
    const [, indent, language] = /^(\s*)```(\S*)/.exec(lines[at] ?? '') ?? []
    if (indent === undefined) continue
    const end = lines.findIndex((line, index) => index > at && line.trim() === '```')
    if (end < 0) throw new Error(`${page}:${at + 1}: a fence that nothing closes`)
    const above = lines.slice(0, at).findLast((line) => line.trim() !== '') ?? ''
    blocks.push({
      page,
      line: at + 1,
      language: language ?? '',
      text: lines
        .slice(at + 1, end)
        .map((line) => `${line.slice(indent.length)}\n`)
        .join(''),
      notRun: /<!-- not run: (.+?) -->/.exec(above)?.[1] ?? null,
    })
    at = end
  }
  return blocks
}

/** What a reader of the page types, block by block. */
export const runBlocks = (page: string): readonly string[] =>
  blocksOf(page).flatMap(({ language, notRun, text }) =>
    language === 'sh' && notRun === null ? [text] : [],
  )
