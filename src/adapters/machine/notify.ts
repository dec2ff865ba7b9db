import type { Log } from '../../runtime/log.ts'
import type { Exec } from '../../processes/exec.ts'

/** Notifies the person; resolves when the command has ended. Never throws. */
export type Notifier = (text: string) => Promise<void>

/** Longest text handed over as an argument, characters. */
const LONGEST = 4000

/**
 * Runs `notify.command` with the text as its last argument, without a shell, one at a time in
 * order. Without a command it does nothing. A command that fails or takes longer than `timeout`
 * (milliseconds) is logged: a notification must not hold or break anything.
 */
export function createNotifier(deps: {
  command: readonly string[] | undefined
  env: Readonly<Record<string, string>>
  exec: Exec
  log: Log
  timeout?: number
}): Notifier {
  const [file, ...args] = deps.command ?? []
  if (file === undefined) return () => Promise.resolve()
  const timeout = deps.timeout ?? 10_000

  const run = async (text: string): Promise<void> => {
    try {
      const result = await deps.exec(file, [...args, argument(text)], {
        env: deps.env,
        timeout,
        group: true,
        maxBuffer: 64 * 1024,
      })
      if (result.exitCode === 0) return
      const reason = result.timedOut
        ? `it took longer than ${timeout / 1000} s`
        : (result.startError ?? `exit ${result.exitCode ?? result.signal}`)
      deps.log.warn(
        { command: file, reason, stderr: result.stderr.slice(-500) },
        'notify.command failed',
      )
    } catch (error) {
      deps.log.warn({ command: file, err: error }, 'notify.command failed')
    }
  }

  let last = Promise.resolve()
  return (text) => (last = last.then(() => run(text)))
}

/** No program takes a NUL in an argument, and the system limits its length. */
const argument = (text: string): string => text.replaceAll('\0', '').slice(0, LONGEST)
