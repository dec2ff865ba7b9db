import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { PACKAGE_ROOT } from './package-root.ts'

let version: string | undefined

/** The version of this exomonad, from its package.json. */
export function readVersion(): string {
  version ??= (
    JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
  ).version
  return version
}
