import { spawn } from 'node:child_process'
import { once } from 'node:events'
import process from 'node:process'

/** The same command in a group of its own, and nothing between: the floor. */
export async function startTask(command: string): Promise<{ end: () => Promise<void> }> {
  const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: 'ignore' })
  await once(child, 'spawn')
  return {
    end: async () => {
      const gone = once(child, 'exit')
      process.kill(-(child.pid ?? 0), 'SIGTERM')
      await gone
    },
  }
}
