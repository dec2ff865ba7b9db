import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { renderToolSpecs } from './generator/tool-specs.ts'

/** Writes what is made of the schemas: `npm run docs`. */
const top = join(import.meta.dirname, '..')
writeFileSync(join(top, 'src', 'surfaces', 'cli', 'tool-specs.json'), renderToolSpecs())
// It has the commands that were just written.
const { renderReference } = await import('./generator/reference.ts')
for (const [path, text] of Object.entries(await renderReference())) {
  const file = join(top, 'docs', path)
  mkdirSync(dirname(file), { recursive: true })
  writeFileSync(file, text)
}
