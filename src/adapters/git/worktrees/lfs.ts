import { join } from 'node:path'
import { openPlain, readPlain } from '../../../processes/plain-file.ts'
import type { Git } from '../git.ts'
import type { Run } from '../run.ts'

/** How each file begins that stands for one of Git LFS. */
const POINTER = 'version https://git-lfs.github.com/spec/'
const CHECKOUT_TIMEOUT = 900_000
/** Bytes of a .gitattributes; a longer one is none. */
const ATTRIBUTES_LIMIT = 10_000_000

/**
 * Files of Git LFS from its store, which all worktrees share, without asking a remote. Returns
 * those that are still pointers, and why.
 */
export const createFillLargeFiles =
  (run: Run): Git['fillLargeFiles'] =>
  async (worktree) => {
    const attributes = await readPlain(join(worktree, '.gitattributes'), ATTRIBUTES_LIMIT)
    if (attributes?.includes('filter=lfs') !== true) return null
    const pointers = async (): Promise<string[]> => {
      const args = ['ls-files', '-z', '--', ':(attr:filter=lfs)']
      const names = await run.output('list files of Git LFS', args, { worktree, reads: true })
      const found: string[] = []
      for (const name of names.split('\0').filter((one) => one !== ''))
        if (await isPointer(join(worktree, name))) found.push(name)
      return found
    }
    if ((await pointers()).length === 0) return null
    const filled = await run.attempt(['lfs', 'checkout'], { worktree, timeout: CHECKOUT_TIMEOUT })
    const left = await pointers()
    if (left.length === 0) return null
    const reason = /is not a git command/.test(filled.stderr)
      ? 'git-lfs is not installed'
      : 'they are not in .git/lfs: `git lfs pull` in the main worktree fetches them'
    return { files: left, reason }
  }

async function isPointer(path: string): Promise<boolean> {
  const file = await openPlain(path)
  if (file === null) return false
  try {
    const { buffer, bytesRead } = await file.read(
      Buffer.alloc(POINTER.length),
      0,
      POINTER.length,
      0,
    )
    return buffer.toString('latin1', 0, bytesRead) === POINTER
  } finally {
    await file.close()
  }
}
