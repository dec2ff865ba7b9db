import { mkdir, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import process from 'node:process'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Exec } from '../../../processes/exec.ts'

/**
 * `copy`: copy-on-write where the file system can, else whole. `reflink`: copy-on-write or not at
 * all. `hardlink`: the same files under another name; whole where that can’t be.
 */
export type CopyMethod = 'copy' | 'reflink' | 'hardlink'

/** Of what can be too large to be waited for, and can’t be left half done in silence. */
const TIMEOUT = 1_800_000

/**
 * Copies a file or folder to where nothing is, with modes, times and links as they are; no link is
 * followed. One process however many files: copied one by one from here, 40,000 take many times as
 * long. False where `reflink` can’t be done; nothing is left then.
 */
export async function copyTree(
  exec: Exec,
  {
    from,
    to,
    method,
    path,
  }: {
    from: string
    to: string
    method: CopyMethod
    /** Where `cp` is looked for. */ path: string
  },
): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true })
  let words = ''
  for (const flags of flagsOf(method, process.platform)) {
    const result = await exec('cp', [...flags, '--', from, to], {
      env: { PATH: path, LC_ALL: 'C' },
      timeout: TIMEOUT,
      group: true,
      maxBuffer: 1_000_000,
    })
    if (result.exitCode === 0) return true
    words = result.timedOut
      ? `it took longer than ${TIMEOUT / 1000} s`
      : result.stderr.trim() || (result.startError ?? `cp ended with ${result.exitCode}`)
    // Half of it may stand there; another way begins anew.
    await rm(to, { recursive: true, force: true })
  }
  if (method === 'reflink') return false
  throw new ExomonadError(
    'SPAWN_FAILED',
    `${from} could not be copied to ${to}: ${words.slice(0, 500)}`,
    { from, to },
  )
}

/** Ways to try, one after the other. A `cp` that doesn’t know an option fails at once. */
function flagsOf(method: CopyMethod, platform: NodeJS.Platform): string[][] {
  const [clone, cloneOnly] =
    platform === 'darwin'
      ? [
          ['-a', '-c'],
          ['-a', '-c'],
        ]
      : [
          ['-a', '--reflink=auto'],
          ['-a', '--reflink=always'],
        ]
  if (method === 'reflink') return [cloneOnly]
  return [...(method === 'hardlink' ? [['-a', '-l']] : []), clone, ['-a']]
}
