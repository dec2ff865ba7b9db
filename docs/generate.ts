import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { renderReference } from './generator/reference.ts'

/** Writes docs/reference.md: `npm run docs`. */
writeFileSync(join(import.meta.dirname, 'reference.md'), await renderReference())
