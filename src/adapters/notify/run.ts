import type { Exec } from '../../processes/exec.ts'
import { TIMEOUT, type Answer } from './target.ts'

export interface RunDeps {
  readonly exec: Exec
  readonly env: Readonly<Record<string, string>>
  /** Milliseconds. */
  readonly timeout?: number
}

/** Longest argument that is handed over, characters. */
const LONGEST = 4000

/** No program takes a NUL in an argument, and the system limits its length. */
export const argument = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST)

/**
 * Runs a program without a shell to its end, with all that it leaves behind. That it failed is no
 * reason to run it again at once where it can’t be started at all.
 */
export async function run(
  deps: RunDeps,
  file: string,
  args: readonly string[],
  signal: AbortSignal,
): Promise<Answer> {
  const { exec, env, timeout = TIMEOUT } = deps
  try {
    const result = await exec(file, args, {
      env,
      timeout,
      signal,
      group: true,
      maxBuffer: 64 * 1024,
    })
    if (result.exitCode === 0) return { ok: true, said: `${file} ran` }
    const said = result.stderr.trim().slice(-500)
    const reason = result.timedOut
      ? `${file} took longer than ${timeout / 1000} s`
      : result.startError === null
        ? `${file} ended with ${result.exitCode === null ? result.signal : `exit code ${result.exitCode}`}`
        : result.startError === 'ENOENT'
          ? `${file} is not there (ENOENT)`
          : `${file} can’t be started (${result.startError})`
    return {
      ok: false,
      reason: said === '' ? reason : `${reason}: ${said}`,
      again: result.startError === null,
    }
  } catch (error) {
    return { ok: false, reason: `${file}: ${(error as Error).message}`, again: false }
  }
}
