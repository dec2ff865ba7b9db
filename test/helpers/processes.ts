import { readdirSync, readFileSync } from 'node:fs'
import process from 'node:process'

/**
 * Whether a process is there. One that is dead and only not yet collected by its parent is not: its
 * files, sockets and locks are let go.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8')
    // Threads of a dead one may still be ending, and hold its files till then.
    return (
      !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(')') + 1)) ||
      readdirSync(`/proc/${String(pid)}/task`).length > 1
    )
  } catch (error) {
    // Without /proc nothing more can be seen.
    return (error as NodeJS.ErrnoException).code === 'ENOENT' && process.platform !== 'linux'
  }
}
