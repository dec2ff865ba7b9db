import { readdir, readFile, rename, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/**
 * git’s record of a worktree that nobody but this daemon has written to yet, as its `.git` file names
 * it; undefined where it names none.
 */
export async function recordOf(path: string): Promise<string | undefined> {
  const mark = await readFile(join(path, '.git'), 'utf8').catch(() => '')
  const record = /^gitdir: (.+?)\r?\n?$/s.exec(mark)?.[1]
  return record === undefined ? undefined : resolve(path, record)
}

/** Whether that record names this folder, so that git itself can take it away. */
export async function isRecorded(path: string): Promise<boolean> {
  const record = await recordOf(path)
  const named = await readFile(join(record ?? '', 'gitdir'), 'utf8').catch(() => '')
  return record !== undefined && resolve(record, named.trim()) === join(path, '.git')
}

/** Nothing was in the middle of changing it when its process ended. */
export async function isQuiet(path: string): Promise<boolean> {
  const files = await readdir((await recordOf(path)) ?? '').catch(() => [])
  return !files.some((name) => name.endsWith('.lock'))
}

/**
 * As `git symbolic-ref` does it, of a record that is made of files: others see one or the other.
 * Throws where somebody holds its lock.
 */
export async function putHeadOn(record: string, ref: string): Promise<void> {
  const head = join(record, 'HEAD')
  await writeFile(`${head}.lock`, `ref: ${ref}\n`, { flag: 'wx' })
  await rename(`${head}.lock`, head)
}
