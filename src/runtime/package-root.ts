import { extname, join } from 'node:path'
import { PACKAGE_ROOT } from '../../packages/subagents/src/own-package.ts'

/** The folder with package.json, templates, hooks and examples. */
export { PACKAGE_ROOT }

/**
 * A program of ours that is started by its file: its path below src/ without ending, TypeScript in
 * the sources, JavaScript below dist/ once built.
 */
export function programFile(name: string): string {
  const ending = extname(import.meta.filename)
  return join(PACKAGE_ROOT, ending === '.ts' ? 'src' : 'dist', `${name}${ending}`)
}
