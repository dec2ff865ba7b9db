import process from 'node:process'

/**
 * The only place that signals. Of a negative number: to the process group. Signal 0 asks only.
 * False where there is none such, or it may not be signalled.
 */
export function sendSignal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, name)
  } catch {
    return false
  }
}

/**
 * Whether there is a process of that number, whoever’s it is. One that has ended and was not
 * collected counts.
 */
export function exists(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}
