import {
  closeSync,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'

export interface LogFile {
  /** One line, its end included. Never throws: a full disk must not take the daemon down. */
  write(line: string): void
  close(): void
}

/**
 * A destination for pino that stays below `maxBytes` on disk: a file of at most half of that, and
 * its predecessor as `<file>.1`. Lines are written at once, so that the last words before a crash
 * are there. 0600. Throws where the file can’t be opened at first. `onLine`: who else gets each line.
 */
export function openLogFile(
  file: string,
  maxBytes: number,
  onLine?: (line: string) => void,
): LogFile {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const open = (): { descriptor: number; size: number } => {
    const descriptor = openSync(file, 'a', 0o600)
    return { descriptor, size: fstatSync(descriptor).size }
  }
  let current: { descriptor: number; size: number } | undefined = open()
  const limit = maxBytes / 2

  const rotate = (): void => {
    if (current !== undefined) closeSync(current.descriptor)
    current = undefined
    renameSync(file, `${file}.1`)
    current = open()
  }

  return {
    write: (line) => {
      onLine?.(line)
      try {
        const bytes = Buffer.from(line)
        if (current !== undefined && current.size > 0 && current.size + bytes.length > limit)
          rotate()
        current ??= open()
        const written = writeSync(current.descriptor, bytes)
        // A disk that was full in the middle: half a line would spoil the next one too.
        if (written < bytes.length) ftruncateSync(current.descriptor, current.size)
        else current.size += written
      } catch {
        // Nothing to say it to; the next line tries again.
      }
    },
    close: () => {
      if (current !== undefined) closeSync(current.descriptor)
      current = undefined
    },
  }
}
