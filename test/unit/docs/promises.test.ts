import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readDoc } from '../../helpers/doc-blocks.ts'

const docs = join(import.meta.dirname, '..', '..', '..', 'docs')

it('docs/promises.md names tests that are there, by their own words', () => {
  const links = [...readDoc('docs/promises.md').matchAll(/\[([^\]]+)\]\((\.\.\/test\/[^)]+)\)/g)]
  expect(links.length).toBeGreaterThan(30)
  const wrong = links.filter(([, words = '', file = '']) => {
    // Of a file as a whole the words are its name.
    const own = file.replace(/^.*\//, '').replace(/(-model)?\.test\.ts$/, '')
    if (words.replaceAll(' ', '-') === own) return false
    return !readFileSync(join(docs, file), 'utf8').replaceAll(/\s+/g, ' ').includes(words)
  })
  expect(wrong.map(([link]) => link)).toEqual([])
})
