import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { renderReference } from '../../docs/generator/reference.ts'
import { renderToolSpecs } from '../../docs/generator/tool-specs.ts'

const top = join(import.meta.dirname, '..', '..')
const pages = [
  'README.md',
  'REVIEW.md',
  'CHANGELOG.md',
  ...readdirSync(join(top, 'docs')).flatMap((name) =>
    name.endsWith('.md') ? [`docs/${name}`] : [],
  ),
]

describe('the docs', () => {
  it('reference.md is what the schemas say now (`npm run docs` writes it)', async () => {
    expect(readFileSync(join(top, 'docs', 'reference.md'), 'utf8')).toBe(await renderReference())
  })

  it('the commands of tools are what their files say now (`npm run docs` writes them, too)', () => {
    const file = join(top, 'src', 'surfaces', 'cli', 'tool-specs.json')
    expect(readFileSync(file, 'utf8')).toBe(renderToolSpecs())
  })

  it.each(pages)('%s links only to what is there', (page) => {
    const text = readFileSync(join(top, page), 'utf8')
    const targets = [...text.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(
      (match) => match[1] ?? '',
    )
    expect(targets.filter((target) => !existsSync(join(top, dirname(page), target)))).toEqual([])
  })
})
