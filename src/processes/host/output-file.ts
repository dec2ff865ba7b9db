import { open, type FileHandle } from 'node:fs/promises'
import { toError } from '../../domain/errors.ts'
import { cutMiddle } from './bounded-file.ts'

export interface OutputFile {
  /** False: too much waits for the disk. */
  write(bytes: Buffer): boolean
  drained(): Promise<void>
  close(): Promise<void>
}

/** Bytes that wait for the disk when the source should pause, and when it may go on. */
const PAUSE_AT = 4_000_000
const RESUME_AT = 1_000_000
/** Bytes written at once. */
const BATCH = 1_000_000
/** Milliseconds between two tries to open a file, or to write to a disk that refused. */
const RETRY = 1000

/**
 * Appends to a file as fast as the disk takes it, in order. What the disk refuses (it is full) is
 * left out and said where it would stand, as soon as the disk takes anything again: a program must
 * not stand still for it. Beyond `bound` bytes the middle goes (bounded-file.ts); where it can’t,
 * so does what comes.
 */
export function createOutputFile(
  file: string,
  onTrouble: (text: string) => void,
  bound = Infinity,
): OutputFile {
  const queue: Buffer[] = []
  const waiting = new Set<() => void>()
  let size = 0
  let handle: FileHandle | undefined
  /** Bytes of the file; undefined before it was opened. */
  let written: number | undefined
  let cutAt = 0
  let writing: Promise<void> | undefined
  let closed = false
  let lost = 0
  let retryAt = 0

  const take = (): Buffer[] => {
    const batch: Buffer[] = []
    for (let bytes = 0; queue.length > 0 && bytes < BATCH;) {
      const next = queue.shift() as Buffer
      bytes += next.length
      batch.push(next)
    }
    return batch
  }
  const complain = (what: string, thrown: unknown): void =>
    onTrouble(
      `the output file ${file} ${what}: ${toError(thrown).message}. Only the last lines are kept.`,
    )
  const writeAll = async (batch: readonly Buffer[]): Promise<void> => {
    if (lost > 0 && Date.now() < retryAt) throw new StillRefused()
    handle ??= await open(file, 'a', 0o600)
    written ??= (await handle.stat()).size
    if (written > bound) await keepBound()
    if (written > bound) throw new StillRefused()
    if (lost > 0) {
      await handle.appendFile(
        `\n[exomonad] ${lost} bytes are missing here: the disk did not take them\n`,
      )
      lost = 0
    }
    // Partial writes are the rule on a disk that fills up.
    for (let rest = [...batch]; rest.length > 0;) {
      let { bytesWritten } = await handle.writev(rest)
      written += bytesWritten
      while (rest.length > 0 && bytesWritten >= (rest[0] as Buffer).length)
        bytesWritten -= (rest.shift() as Buffer).length
      if (rest.length > 0) rest = [(rest[0] as Buffer).subarray(bytesWritten), ...rest.slice(1)]
    }
    await keepBound()
  }
  const keepBound = async (): Promise<void> => {
    if (written === undefined || written <= bound || Date.now() < cutAt) return
    try {
      const shorter = await cutMiddle(file, bound)
      await handle?.close()
      handle = shorter.handle
      written = shorter.size
    } catch (thrown) {
      cutAt = Date.now() + RETRY
      complain(`has all that it may have, and can not be shortened`, thrown)
    }
  }
  const run = async (): Promise<void> => {
    while (queue.length > 0) {
      const batch = take()
      const bytes = batch.reduce((sum, { length }) => sum + length, 0)
      try {
        await writeAll(batch)
      } catch (thrown) {
        // Said again with every try: in a flood of lines the first does not stay.
        if (!(thrown instanceof StillRefused)) {
          complain('can not be written', thrown)
          retryAt = Date.now() + RETRY
        }
        lost += bytes
      }
      size -= bytes
      if (size <= RESUME_AT) release()
    }
    writing = undefined
  }
  const release = () => {
    for (const go of waiting) go()
    waiting.clear()
  }

  return {
    write: (bytes) => {
      if (closed || bytes.length === 0) return true
      queue.push(bytes)
      size += bytes.length
      writing ??= run()
      return size < PAUSE_AT
    },
    drained: async () => {
      if (size > RESUME_AT) await new Promise<void>((resolve) => waiting.add(resolve))
    },
    close: async () => {
      closed = true
      while (writing !== undefined) await writing
      retryAt = 0
      if (lost > 0) await writeAll([]).catch(() => undefined)
      const held = handle
      handle = undefined
      await held?.close().catch(() => undefined)
    },
  }
}

class StillRefused extends Error {}
