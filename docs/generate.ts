import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderToolSpecs } from './generator/tool-specs.ts'

/** Writes what is made of the schemas: `npm run docs`. */
const top = join(import.meta.dirname, '..')
writeFileSync(join(top, 'src', 'surfaces', 'cli', 'tool-specs.json'), renderToolSpecs())
// It has the commands that were just written.
const { renderReference } = await import('./generator/reference.ts')
writeFileSync(join(top, 'docs', 'reference.md'), await renderReference())
