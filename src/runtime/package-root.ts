import { findPackageJSON } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** The folder with package.json, templates, hooks and examples. */
export const PACKAGE_ROOT = dirname(findPackageJSON(import.meta.url) as string)

/**
 * A program of ours that is started by its file: its path below src/ without ending, TypeScript in
 * the sources, JavaScript below dist/ once built.
 */
export function programFile(name: string): string {
  const ending = extname(import.meta.filename)
  return join(PACKAGE_ROOT, ending === '.ts' ? 'src' : 'dist', `${name}${ending}`)
}
