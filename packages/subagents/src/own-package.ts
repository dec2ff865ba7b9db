import { readFileSync } from 'node:fs'
import { findPackageJSON } from 'node:module'
import { dirname, extname, join } from 'node:path'

/** The folder of the npm package that this is a part of: it has package.json. */
export const PACKAGE_ROOT = dirname(findPackageJSON(import.meta.url) as string)

let version: string | undefined

/** The version of the npm package, from its package.json. */
export function readVersion(): string {
  version ??= (
    JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as { version: string }
  ).version
  return version
}

/**
 * The program that agents without MCP over HTTP start: TypeScript in the sources, JavaScript once
 * built, where this file is a part of others.
 */
export const BRIDGE_FILE = join(
  PACKAGE_ROOT,
  ...(extname(import.meta.filename) === '.ts'
    ? ['packages', 'subagents', 'src', 'mcp', 'mcp-bridge.ts']
    : ['dist', 'subagents', 'mcp-bridge.js']),
)
