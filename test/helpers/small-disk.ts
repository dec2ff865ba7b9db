import { execFileSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { describe } from 'vitest'

/** Test helper: a file system of its own, small enough to be filled. Mounting one takes rights that not every machine gives. */

export const mountSmallDisk = (folder: string, megabytes: number): void => {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', folder], { stdio: 'pipe' })
}

/** Takes it away, also from under a process that still has a file there open. */
export const unmountSmallDisk = (folder: string): void => {
  execFileSync('umount', ['--lazy', folder], { stdio: 'pipe' })
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
function whyNot(): string | null {
  const folder = mkdtempSync(join(tmpdir(), 'disk-'))
  try {
    mountSmallDisk(folder, 1)
    unmountSmallDisk(folder)
    return null
  } catch (error) {
    return String((error as { stderr?: Buffer }).stderr ?? error).trim()
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** `describe` for tests that mount: skipped with the reason in its title where that isn’t possible, and failing in CI. */
export function describeWithDisk(title: string, body: () => void): void {
  const reason = whyNot()
  if (reason === null) {
    describe(title, body)
    return
  }
  if ((process.env['CI'] ?? '') !== '')
    throw new Error(`${title}: no file system can be mounted (${reason}). In CI it has to be: run as root with CAP_SYS_ADMIN.`)
  process.stderr.write(`skipped, no file system can be mounted: ${title}\n`)
  describe.skip(`${title} (skipped: ${reason})`, body)
}
