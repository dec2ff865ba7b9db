import { randomUUID } from 'node:crypto'
import {
  accessSync,
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  statfsSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'

/** Of each stream, as in ../exec.ts. Bytes. */
const MOST_OUTPUT = 100_000_000

/**
 * On disk, though hardly any of it is ever written there: what one writes too much of fills no
 * memory until it is ended. Where the disk is full commands say so by pipes, as ever.
 */
export const outputFolder = (): string | undefined => (hasRoom(tmpdir()) ? tmpdir() : undefined)

/** Others write there as well. */
export function hasRoom(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK)
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize > 2 * MOST_OUTPUT
  } catch {
    return false
  }
}

/** More was written than is kept. */
export const isTooLong = (fd: number): boolean => fstatSync(fd).size > MOST_OUTPUT

const { O_RDWR, O_CREAT, O_EXCL, O_DIRECTORY } = constants
/** See open(2): Linux has it with the folder as its path, and Node no name for it. */
const O_TMPFILE = 0o20000000 | O_DIRECTORY

/**
 * A file that never has a name: who is killed in this very moment leaves nothing. Not every file
 * system can do that; there it has one for an instant.
 */
function openNameless(folder: string): number {
  try {
    return openSync(folder, O_RDWR | O_TMPFILE, 0o600)
  } catch {
    const path = join(folder, `exomonad-${process.pid}-${randomUUID()}`)
    const fd = openSync(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
    unlinkSync(path)
    return fd
  }
}

/**
 * Descriptors of files without a name, that nobody has to clean up: output, errors and, where there
 * is one, the input.
 */
export function openFiles(folder: string, input: string | undefined): number[] {
  const files: number[] = []
  const open = (): number => {
    const fd = openNameless(folder)
    files.push(fd)
    return fd
  }
  try {
    open()
    open()
    if (input !== undefined) {
      const bytes = Buffer.from(input)
      const fd = open()
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at)
    }
    return files
  } catch (thrown) {
    for (const fd of files) closeSync(fd)
    throw thrown
  }
}

/** Undefined where it is longer than may be. */
export function contents(fd: number): string | undefined {
  const { size } = fstatSync(fd)
  if (size > MOST_OUTPUT) return undefined
  const bytes = Buffer.allocUnsafe(size)
  let at = 0
  while (at < size) {
    const read = readSync(fd, bytes, at, size - at, at)
    if (read === 0) break
    at += read
  }
  return bytes.toString('utf8', 0, at)
}
