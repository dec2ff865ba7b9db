import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'

/**
 * Starts a program with open pipes in a session and process group of its own, with exactly this
 * environment: end it by the group. Listen for `error` (it did not start) and `exit`.
 */
export type StartPiped = (
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
) => ChildProcessWithoutNullStreams

export const startPiped: StartPiped = (file, args, { cwd, env }) =>
  spawn(file, args, { env: { ...env }, cwd, detached: true, stdio: 'pipe' })
