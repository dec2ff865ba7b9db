import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import {
  isEnough,
  parseZellijVersion,
  ZELLIJ_NEEDED,
} from '../../../src/adapters/terminals/zellij/version.ts'
import { findTool } from './require-tool.ts'

/**
 * Test helper: a Zellij to test on. It is no package of Debian’s and has to be built, so that CI
 * may have to do without it. Use:
 *
 *   const reason = whyNoZellij()
 *   if (reason === null) describe('on Zellij', …)
 *   else describe.skip(`on Zellij (skipped: ${reason})`, () => undefined)
 */

/** Absolute path of the Zellij on PATH, where it is new enough for exomonad. */
export function zellijOnPath(): string | undefined {
  const path = findTool('zellij')
  const version = path === undefined ? undefined : versionOf(path)
  return version !== undefined && isEnough(version) ? path : undefined
}

/** Zellij makes a folder for its log before it says even its version. */
function versionOf(path: string): string | undefined {
  const folder = mkdtempSync(join(tmpdir(), 'version-'))
  const env = { ...process.env, TMPDIR: folder }
  try {
    return parseZellijVersion(
      execFileSync(path, ['--version'], {
        encoding: 'utf8',
        env,
        timeout: 20_000,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    )
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * Null where there is one. In CI it is required, as every tool is, unless .ci/run says why there is
 * none (EXOMONAD_CI_WITHOUT_ZELLIJ).
 */
export function whyNoZellij(): string | null {
  if (zellijOnPath() !== undefined) return null
  const given = process.env['EXOMONAD_CI_WITHOUT_ZELLIJ'] || null
  const reason = given ?? `no zellij ${ZELLIJ_NEEDED} or newer on PATH`
  if (given === null && (process.env['CI'] ?? '') !== '')
    throw new Error(`${reason}. In CI it is required, unless .ci/run says why there is none.`)
  process.stderr.write(`skipped: ${reason}\n`)
  return reason
}

/** Throws where it has ended. */
export const parentOf = (pid: number): number =>
  Number(/^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${String(pid)}/stat`, 'utf8'))?.[1])

/**
 * Of processes that have a server’s command line, those that are one: what it starts has the same
 * until it is another program.
 */
export function serversAmong(pids: readonly number[]): number[] {
  return pids.filter((pid) => {
    try {
      return !pids.includes(parentOf(pid))
    } catch {
      return false
    }
  })
}
