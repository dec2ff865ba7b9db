import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseJson } from '../domain/formats/parse-json.ts'
import type { Environment } from './environment.ts'

/**
 * The user’s own folder (`<state home>/exomonad`, 0700), outside every repository: owner tokens,
 * what is trusted, and which repositories have a daemon. File names begin with the repository’s
 * hash.
 */
export const userStateFolder = (environment: Environment): string =>
  join(environment.stateHome, 'exomonad')

/** What `exomonad ps` knows of a repository. */
export interface RepositoryRecord {
  readonly commonDir: string
  readonly home: string
  readonly socket: string
  /** Of the daemon, as it said when it started; null where it said it stopped. */
  readonly pid: number | null
}

interface Named {
  /** Its file’s, and those of the token and the trust beside it. */
  readonly hash: string
  readonly record: RepositoryRecord
}

async function namedRecords(environment: Environment): Promise<Named[]> {
  const folder = userStateFolder(environment)
  const names = await readdir(folder).catch(() => [])
  const read = async (name: string): Promise<Named[]> => {
    const record = parseRecord(await readIfThere(join(folder, name)))
    return record === undefined ? [] : [{ hash: name.slice(0, -'.json'.length), record }]
  }
  const found = names.filter((name) => /^[0-9a-f]{10}\.json$/.test(name)).map(read)
  return (await Promise.all(found)).flat()
}

/** All repositories, by path. Files that don’t parse are left out. */
export const listRepositoryRecords = async (
  environment: Environment,
): Promise<RepositoryRecord[]> =>
  (await namedRecords(environment))
    .map(({ record }) => record)
    .sort((a, b) => a.home.localeCompare(b.home))

/**
 * The record of one repository and the owner’s token beside it; null where there are not both. By
 * looking through all: for who must not take the time to load what makes the hash.
 */
export async function findOwned(
  environment: Environment,
  commonDir: string,
): Promise<{ readonly record: RepositoryRecord; readonly token: string } | null> {
  const all = await namedRecords(environment)
  const found = all.find(({ record }) => record.commonDir === commonDir)
  if (found === undefined) return null
  const text = await readIfThere(join(userStateFolder(environment), `${found.hash}.token`))
  const token = text?.trim() ?? ''
  return token === '' ? null : { record: found.record, token }
}

export async function readIfThere(file: string): Promise<string | null> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return null
    throw error
  }
}

function parseRecord(text: string | null): RepositoryRecord | undefined {
  try {
    const value = parseJson(text ?? '') as Partial<RepositoryRecord>
    const complete =
      typeof value.commonDir === 'string' &&
      typeof value.home === 'string' &&
      typeof value.socket === 'string'
    return complete ? ({ ...value, pid: value.pid ?? null } as RepositoryRecord) : undefined
  } catch {
    return undefined
  }
}
