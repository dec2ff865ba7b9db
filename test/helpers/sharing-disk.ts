import { execFileSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Test helper: a file system of its own whose files can share blocks (btrfs, in a file). Making and
 * mounting one takes its tools and rights that not every machine gives.
 */
export interface SharingDisk {
  readonly folder: string
  /** Bytes, all that is written down. */
  readonly used: () => number
  readonly remove: () => void
}

export function sharingDisk(): SharingDisk {
  const outer = realpathSync(mkdtempSync(join(tmpdir(), 'btrfs-')))
  const [image, folder] = [join(outer, 'image'), join(outer, 'disk')]
  mkdirSync(folder)
  const remove = (): void => {
    try {
      execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
    } catch {
      // It was not mounted.
    }
    rmSync(outer, { recursive: true, force: true })
  }
  try {
    writeFileSync(image, '')
    truncateSync(image, 500_000_000)
    execFileSync('mkfs.btrfs', ['-q', image], { stdio: 'pipe' })
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'pipe' })
  } catch (error) {
    remove()
    throw error
  }
  const used = (): number => {
    execFileSync('sync', ['-f', folder])
    const { blocks, bfree, bsize } = statfsSync(folder)
    return (blocks - bfree) * bsize
  }
  return { folder, used, remove }
}

/** Why none can be had here; null where one can. */
export function whyNoSharingDisk(): string | null {
  try {
    sharingDisk().remove()
    return null
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}
