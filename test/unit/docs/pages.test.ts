import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { describe, expect, it } from 'vitest'
import { SIDEBAR } from '../../../docs/.vitepress/sidebar.ts'
import { renderReference } from '../../../docs/generator/reference.ts'
import { slugOf } from '../../../docs/generator/slug.ts'
import { renderToolSpecs } from '../../../docs/generator/tool-specs.ts'
import { DOC_PAGES, readDoc } from '../../helpers/doc-blocks.ts'

const top = join(import.meta.dirname, '..', '..', '..')
const reference = await renderReference()
const made = Object.keys(reference).map((path) => `docs/${path}`)
const pages = [...DOC_PAGES, 'CHANGELOG.md', ...made]

/** A page without its blocks, and without what stands before it for the site. */
const proseOf = (page: string): string =>
  readDoc(page)
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replaceAll(/^(\s*)```[\s\S]*?^\1```$/gm, '')

/** The anchors of a page; those of headings of the same words are counted, as GitHub does. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>()
  for (const [, heading = ''] of proseOf(page).matchAll(/^#+ (.+)$/gm)) {
    const slug = slugOf(heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    let one = slug
    for (let more = 1; anchors.has(one); more += 1) one = `${slug}-${more}`
    anchors.add(one)
  }
  return anchors
}

describe('the docs', () => {
  it.each(made)('%s is what the schemas say now (`npm run docs` writes it)', (page) => {
    expect(readDoc(page)).toBe(reference[page.replace('docs/', '')])
  })

  it('the commands of tools are what their files say now (`npm run docs` writes them, too)', () => {
    const file = join(top, 'src', 'surfaces', 'cli', 'tool-specs.json')
    expect(readFileSync(file, 'utf8')).toBe(renderToolSpecs())
  })

  it.each(pages)('%s links only to what is there', (page) => {
    const links = proseOf(page).matchAll(
      /(?:\]\(|src(?:set)?=")(?!https?:)([^)\s"#]*)(#[^)\s"]*)?/g,
    )
    const dead = [...links].flatMap(([, target = '', anchor]) => {
      const path = target === '' ? page : normalize(join(dirname(page), target))
      if (!existsSync(join(top, path))) return [target]
      return anchor !== undefined && path.endsWith('.md') && !anchorsOf(path).has(anchor.slice(1))
        ? [`${target}${anchor}`]
        : []
    })
    expect(dead).toEqual([])
  })

  it.each(DOC_PAGES)('%s is no wider than 100 columns, but for tables and blocks', (page) => {
    const wide = proseOf(page)
      .split('\n')
      .filter((line) => line.length > 100 && !/^\s*(\||<)/.test(line))
    expect(wide).toEqual([])
  })

  it('every page is in the sidebar of the site, and the sidebar names no other', () => {
    const listed = SIDEBAR.flatMap(({ items }) => items.map(({ link }) => `docs${link}.md`))
    const there = [...DOC_PAGES, ...made].filter((page) => page.startsWith('docs/'))
    expect(listed.toSorted()).toEqual(there.filter((page) => page !== 'docs/index.md').toSorted())
  })
})
