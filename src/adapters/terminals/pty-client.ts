import type { Socket } from 'node:net'
import { spawn, type IPty } from '@lydell/node-pty'
import { createInputQueue } from './detached/input-queue.ts'

/** A program on a pseudo-terminal that this process draws for somebody. */
export interface PtyClient {
  write(text: string): void
  /** Bytes written that the program has not read yet. */
  readonly untaken: number
  resize(columns: number, rows: number): void
  /** Its output is left where it is, so that the program has to wait. */
  pause(): void
  resume(): void
  /** Hangs up. `onExit` is called all the same. */
  close(): void
}

/** It ends with this process, whose end hangs up. */
export function startPtyClient(options: {
  argv: readonly string[]
  env: Readonly<Record<string, string>>
  columns: number
  rows: number
  onOutput: (bytes: Buffer) => void
  onExit: () => void
}): PtyClient {
  const [file = '', ...args] = options.argv
  const pty = spawn(file, args, {
    name: 'xterm-256color',
    cols: options.columns,
    rows: options.rows,
    cwd: '/',
    env: { ...options.env },
    encoding: null,
  })
  const { fd, _socket: socket } = pty as unknown as { fd: number; _socket: Socket }
  let ended = false
  const isOpen = (): boolean => !ended && !socket.destroyed
  const input = createInputQueue(fd, isOpen)
  pty.onData((bytes) => options.onOutput(bytes as unknown as Buffer))
  pty.onExit(() => {
    ended = true
    options.onExit()
  })
  return {
    write: input.write,
    get untaken() {
      return input.untaken
    },
    resize: (columns, rows) => {
      try {
        if (isOpen() && (columns !== pty.cols || rows !== pty.rows)) pty.resize(columns, rows)
      } catch {
        // It ends just now.
      }
    },
    pause: () => pty.pause(),
    resume: () => pty.resume(),
    // Of one that has ended the process id may be another's by now, and `destroy` would signal it.
    close: () => {
      if (!ended) (pty as IPty & { destroy(): void }).destroy()
    },
  }
}
