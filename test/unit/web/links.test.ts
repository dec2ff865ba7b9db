import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const top = join(import.meta.dirname, '../../../web/src')
const sources = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((name) =>
  name.endsWith('.tsx'),
)

it('a link within the page does not load it anew, which would lose filters, folds and drafts', () => {
  const links = sources.flatMap((name) =>
    Array.from(
      readFileSync(join(top, name), 'utf8').matchAll(/<a\s[\s\S]*?(?<!=)>/g),
      ([tag]) => `${name}: ${tag}`,
    ),
  )
  expect(links.length).toBeGreaterThan(2)
  const within = links.filter((tag) => !/target="_blank"|preventDefault\(\)/.test(tag))
  expect(within).toEqual([])
})
