import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * Test helper: a file system in memory, small enough to be filled. Mounting one takes rights that
 * not every machine gives.
 */

export const mountSmallDisk = (folder: string, megabytes: number): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], {
    stdio: 'pipe',
  })
}

/** Takes it away, also from under a process that still has a file there open. */
export const unmountSmallDisk = (folder: string): void => {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
}

/** `ro` or `rw`. False while somebody has a file there open for writing (`ro`). */
export function remountSmallDisk(folder: string, how: 'ro' | 'rw'): boolean {
  try {
    execFileSync('mount', ['-o', `remount,${how}`, folder], { stdio: 'pipe' })
    return true
  } catch (error) {
    if (String((error as { stderr?: Buffer }).stderr).includes('busy')) return false
    throw error
  }
}

/** Fills the file system to its last byte with one file. */
export function fillDisk(file: string): void {
  const descriptor = openSync(file, 'w')
  try {
    for (const size of [1 << 20, 4096, 1]) {
      const chunk = Buffer.alloc(size)
      try {
        for (;;) writeSync(descriptor, chunk)
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
      }
    }
  } finally {
    closeSync(descriptor)
  }
}

/** Why no disk can be mounted here; null where one can. */
export function whyNoDisk(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  try {
    mountSmallDisk(folder, 1)
    unmountSmallDisk(folder)
    return null
  } catch (error) {
    return (
      String((error as { stderr?: Buffer }).stderr ?? error)
        .trim()
        .split('\n')[0] ?? ''
    ).replace(folder, 'a folder')
  } finally {
    rmSync(folder, { recursive: true })
  }
}
