import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { blocksOf } from '../../helpers/doc-blocks.ts'

const folder = join(import.meta.dirname, '..', '..', '..', 'examples', 'recipes')

it('docs/recipes.md shows the scripts that are there, and all of them', () => {
  const shown = blocksOf('docs/recipes.md').filter(({ language }) => language === 'bash')
  expect(shown.map(({ text }) => text).toSorted()).toEqual(
    readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .toSorted(),
  )
})
