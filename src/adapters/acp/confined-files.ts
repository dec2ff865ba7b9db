import { constants, type Stats } from 'node:fs'
import { lstat, mkdir, open, realpath, type FileHandle } from 'node:fs/promises'
import { basename, dirname, join, relative, isAbsolute, resolve, sep } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'
import type { AcpHandlers } from '../../../packages/subagents/src/acp/acp.ts'

/** Of a file that is read or written. Bytes. */
const LONGEST_FILE = 10 * 1024 * 1024

const outside = (path: string, root: string, why: string): ExomonadError =>
  new ExomonadError('OUTSIDE_ROOT', `${path} is outside ${root}${why}. Use a path inside it.`)

const isBelow = (path: string, root: string): boolean => {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * Where a path really leads, through all symbolic links, also where its last parts are not there
 * yet. Throws OUTSIDE_ROOT unless that is `root` or below it; a link that leads to nothing counts
 * as outside, because writing would follow it.
 */
export async function confined(root: string, path: string): Promise<string> {
  if (path.includes('\0'))
    throw new ExomonadError('INVALID_ARG', 'A path holds a zero byte. Use another.')
  const realRoot = await realpath(root)
  // Both ways to write the root are fine: as it is given, and as it really is.
  const wanted = resolve(realRoot, isAbsolute(path) ? path : join(realRoot, path))
  const real = await realOf(wanted, (link) =>
    outside(path, root, `: ${link} is a symbolic link that leads nowhere`),
  )
  if (!isBelow(real, realRoot))
    throw outside(path, root, isBelow(wanted, realRoot) ? ': a symbolic link leads there' : '')
  return real
}

async function realOf(path: string, dangling: (link: string) => ExomonadError): Promise<string> {
  try {
    return await realpath(path)
  } catch (error) {
    if (!isMissing(error)) throw error
  }
  const found: Stats | null = await lstat(path).catch((error: unknown) => {
    if (isMissing(error)) return null
    throw error
  })
  if (found?.isSymbolicLink() === true) throw dangling(path)
  const parent = dirname(path)
  return parent === path ? path : join(await realOf(parent, dangling), basename(path))
}

/** Opened so that neither a link put there meanwhile is followed nor a pipe is waited for. */
async function openFile(real: string, path: string, flags: number): Promise<FileHandle> {
  let file: FileHandle
  try {
    file = await open(real, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK, 0o666)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENXIO')
      throw new ExomonadError('INVALID_ARG', `${path} is no file. Only files are read and written.`)
    throw error
  }
  if ((await file.stat()).isFile()) return file
  await file.close()
  throw new ExomonadError('INVALID_ARG', `${path} is no file. Only files are read and written.`)
}

/** What an agent may read and write through its client: text files in `root`. */
export function createConfinedFiles(
  root: string,
  { limit = LONGEST_FILE }: { limit?: number } = {},
): Required<Pick<AcpHandlers, 'readTextFile' | 'writeTextFile'>> {
  const tooLong = (path: string, bytes: number): ExomonadError =>
    new ExomonadError(
      'INVALID_ARG',
      `${path} has ${bytes} bytes, more than the ${limit} that are read or written at once. Use a command for it.`,
    )
  return {
    readTextFile: async ({ path, line, limit: lines }) => {
      const file = await openFile(await confined(root, path), path, constants.O_RDONLY)
      try {
        const { size } = await file.stat()
        if (size > limit) throw tooLong(path, size)
        const text = await file.readFile('utf8')
        if (line === null && lines === null) return text
        const from = Math.max(0, (line ?? 1) - 1)
        return text
          .split(/(?<=\n)/)
          .slice(from, lines === null ? undefined : from + lines)
          .join('')
      } finally {
        await file.close()
      }
    },
    writeTextFile: async ({ path, content }) => {
      const bytes = Buffer.byteLength(content)
      if (bytes > limit) throw tooLong(path, bytes)
      const wanted = await confined(root, path)
      await mkdir(dirname(wanted), { recursive: true })
      // Looked at again: somebody may have put a link in its way.
      const real = await confined(root, wanted)
      const file = await openFile(real, path, constants.O_WRONLY | constants.O_CREAT)
      try {
        await file.truncate(0)
        await file.writeFile(content)
      } finally {
        await file.close()
      }
    },
  }
}
