import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { readDoc } from '../../helpers/doc-blocks.ts'

const top = join(import.meta.dirname, '..', '..', '..')
const docs = join(top, 'docs')

it('the README names tests that are there', () => {
  const table = /^\| running many agents by hand[\s\S]*?\n\n/m.exec(readDoc('README.md'))?.[0] ?? ''
  const named = table
    .split('\n')
    .slice(2)
    .flatMap((row) => [...(row.split('|')[3] ?? '').matchAll(/`([\w-]+)`/g)])
    .map(([, name]) => `${name}.test.ts`)
  const files = readdirSync(join(top, 'test', 'integration'), { recursive: true, encoding: 'utf8' })
  expect(named.length).toBeGreaterThan(8)
  expect(named.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
})

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
