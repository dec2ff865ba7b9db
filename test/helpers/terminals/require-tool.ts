import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'
import { describe } from 'vitest'
import { whyNoDisk } from '../small-disk.ts'

/**
 * Test helper: what a test needs beyond Node and git. With CI set a missing tool fails; elsewhere
 * its tests are skipped and say so.
 */

/** Absolute path of a program on PATH, or undefined. */
export function findTool(name: string): string | undefined {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    try {
      accessSync(join(folder, name), constants.X_OK)
      return join(folder, name)
    } catch {
      continue
    }
  }
  return undefined
}

const inCI = (process.env['CI'] ?? '') !== ''

/**
 * `describe` for tests that need these programs: skipped with the reason in its title where one is
 * missing, and failing in CI.
 */
export function describeWith(tools: readonly string[], title: string, body: () => void): void {
  const missing = tools.filter((tool) => findTool(tool) === undefined)
  if (missing.length === 0) {
    describe(title, body)
    return
  }
  if (inCI)
    throw new Error(
      `${title}: ${missing.join(', ')} not found. In CI every tool is required; .ci/run installs them.`,
    )
  process.stderr.write(`skipped, ${missing.join(', ')} not found: ${title}\n`)
  describe.skip(`${title} (skipped: ${missing.join(', ')} not found)`, body)
}

/**
 * For suites that run one implementation of several: false where it must be left out; throws in CI.
 */
export function hasTool(name: string): boolean {
  if (findTool(name) !== undefined) return true
  if (inCI)
    throw new Error(`${name} not found. In CI every tool is required; .ci/run installs them.`)
  process.stderr.write(`skipped: ${name} not found\n`)
  return false
}

/**
 * `describe` for tests that fill a file system of their own: skipped with the reason in its title
 * where none can be mounted, and failing in CI.
 */
export function describeWithDisk(title: string, body: () => void): void {
  const reason = whyNoDisk()
  if (reason === null) {
    describe(title, body)
    return
  }
  if (inCI)
    throw new Error(
      `${title}: no file system can be mounted (${reason}). In CI that is required: run it as root, with CAP_SYS_ADMIN.`,
    )
  process.stderr.write(`skipped, no file system can be mounted (${reason}): ${title}\n`)
  describe.skip(`${title} (skipped: ${reason})`, body)
}
