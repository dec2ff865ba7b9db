import type { Writable } from 'node:stream'

export interface Stdin {
  /**
   * One after the other; each resolves when the pipe has taken all of it, or after a moment: what a
   * program doesn’t read yet waits here. Nothing of what is more than may wait is taken.
   */
  write(data: string): Promise<'written' | 'full' | 'closed'>
  close(): void
}

/** Milliseconds. */
const TIMEOUT = 2000
/**
 * Characters that may wait for a program that doesn't read: enough for any sensible input, too
 * little to hurt.
 */
const WAITING_LIMIT = 16_000_000

/**
 * The writing end of a program’s standard input: a program that doesn’t read keeps only those
 * waiting who write to it.
 */
export function createStdin(stream: Writable): Stdin {
  let open = true
  let waiting = 0
  const shut = () => {
    open = false
  }
  stream.on('error', shut)
  stream.on('close', shut)

  return {
    write: async (data) => {
      if (!open) return 'closed'
      if (waiting + data.length > WAITING_LIMIT) return 'full'
      waiting += data.length
      return await new Promise((resolve) => {
        const timer = setTimeout(resolve, TIMEOUT, 'written' as const)
        stream.write(data, (error) => {
          waiting -= data.length
          clearTimeout(timer)
          resolve(error == null ? 'written' : 'closed')
        })
      })
    },
    close: () => {
      shut()
      stream.destroy()
    },
  }
}
