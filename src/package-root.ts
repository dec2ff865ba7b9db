import { extname, join } from 'node:path'

/** The folder with package.json, templates, hooks and examples. Sources are in src/; what is built stands in dist/ with this module at its top: one above either. */
export const PACKAGE_ROOT = join(import.meta.dirname, '..')

/** A program of ours that is started by its file: its path below src/ without ending, TypeScript in the sources, JavaScript once built. */
export const programFile = (name: string): string => join(import.meta.dirname, `${name}${extname(import.meta.filename)}`)
