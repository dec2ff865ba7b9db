import { writeSync } from 'node:fs'

const FIRST_RETRY = 1
const LAST_RETRY = 50

/**
 * Writes to a pseudo-terminal in order and as fast as its program reads, without ever blocking the
 * process: the pty library's own write waits inside the system call when a program reads late, and
 * with it every other terminal. `isOpen` is asked right before each write, because a closed
 * descriptor may be another terminal's by then.
 */
export function createInputQueue(
  fd: number,
  isOpen: () => boolean,
): { write: (text: string) => void; /** Bytes. */ readonly untaken: number } {
  const queue: Buffer[] = []
  let timer: NodeJS.Timeout | undefined
  let retry = FIRST_RETRY

  const flush = () => {
    timer = undefined
    while (queue.length > 0) {
      if (!isOpen()) {
        queue.length = 0
        return
      }
      const [bytes] = queue as [Buffer]
      const written = writeSome(fd, bytes)
      if (written === 'closed') {
        queue.length = 0
        return
      }
      if (written < bytes.length) {
        queue[0] = bytes.subarray(written)
        retry = written > 0 ? FIRST_RETRY : Math.min(retry * 2, LAST_RETRY)
        timer = setTimeout(flush, retry)
        return
      }
      queue.shift()
    }
  }

  return {
    write: (text) => {
      if (text === '') return
      queue.push(Buffer.from(text))
      if (timer === undefined) flush()
    },
    get untaken() {
      return queue.reduce((sum, { length }) => sum + length, 0)
    },
  }
}

/** How many bytes the terminal took; 0 while it is full. */
function writeSome(fd: number, bytes: Buffer): number | 'closed' {
  try {
    return writeSync(fd, bytes)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EAGAIN' ? 0 : 'closed'
  }
}
