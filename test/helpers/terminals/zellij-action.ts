import { setTimeout as delay } from 'node:timers/promises'
import { runProgram } from '../daemon.ts'

/** How long a busy session is asked again. Milliseconds. */
const PATIENCE = 10_000

/**
 * Test helper: an action in a session of Zellij, past exomonad. Returns what it printed, which may
 * be nothing, or the answer to another command, while Zellij is busy. Of such a session it may say
 * that it is not there, and has done nothing then: it is asked again.
 */
export async function zellijAction(
  session: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  program = 'zellij',
): Promise<string> {
  for (const end = performance.now() + PATIENCE; ; await delay(50)) {
    const result = await runProgram(program, ['--session', session, 'action', ...args], { env })
    if (result.code === 0) return result.stdout
    if (!/no active session|session .*not found/i.test(result.stderr) || performance.now() > end)
      throw new Error(`zellij ${args.join(' ')}: ${result.stderr}`)
  }
}
