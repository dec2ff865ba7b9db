import type { ExecResult } from '../../../processes/exec.ts'

/** `no-session`: nothing was done. `failed`: Zellij said no. */
export type Reply =
  | { kind: 'done'; stdout: string }
  | { kind: 'no-session' }
  | { kind: 'failed'; reason: string }

const NO_SESSION = /no active session|session .*not found|no session with/i

/** What a command of the `zellij` program that ended by itself has said. */
export function replyOf({ exitCode, stdout, stderr }: ExecResult): Reply {
  if (exitCode === 0) return { kind: 'done', stdout }
  const said = `${stderr}${stdout}`.trim()
  return NO_SESSION.test(said)
    ? { kind: 'no-session' }
    : { kind: 'failed', reason: said || `exit code ${String(exitCode)}` }
}
