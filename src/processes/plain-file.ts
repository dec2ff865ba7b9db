import { constants } from 'node:fs'
import { open, type FileHandle } from 'node:fs/promises'

/**
 * Opens for reading what an agent may have put there: null where it is no plain file, or a link. A
 * pipe without a writer would block whoever opens it, a device never end.
 */
export async function openPlain(path: string): Promise<FileHandle | null> {
  const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
  const file = await open(path, flags).catch(() => null)
  if (file === null) return null
  const found = await file.stat().catch(() => null)
  if (found?.isFile() === true) return file
  await file.close()
  return null
}

/** All of such a file; null where it has more than `limit` bytes as well. */
export async function readPlain(path: string, limit: number): Promise<Buffer | null> {
  const file = await openPlain(path)
  if (file === null) return null
  try {
    const { size } = await file.stat()
    if (size > limit) return null
    const { buffer, bytesRead } = await file.read(Buffer.alloc(size), 0, size, 0)
    return buffer.subarray(0, bytesRead)
  } finally {
    await file.close()
  }
}
