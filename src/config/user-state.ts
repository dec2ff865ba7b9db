import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryHash } from '../runtime/paths.ts'
import type { Environment } from './environment.ts'
import { parseJson } from '../domain/formats/parse-json.ts'

/**
 * The user’s own folder (`<state home>/exomonad`, 0700), outside every repository: owner tokens,
 * what is trusted, and which repositories have a daemon. File names begin with the repository’s
 * hash.
 */
export const userStateFolder = (environment: Environment): string =>
  join(environment.stateHome, 'exomonad')

export const ownerTokenFile = (environment: Environment, commonDir: string): string =>
  fileOf(environment, commonDir, 'token')
export const trustFile = (environment: Environment, commonDir: string): string =>
  fileOf(environment, commonDir, 'trust.json')
export const repositoryRecordFile = (environment: Environment, commonDir: string): string =>
  fileOf(environment, commonDir, 'json')

const fileOf = (environment: Environment, commonDir: string, ending: string): string =>
  join(userStateFolder(environment), `${repositoryHash(commonDir)}.${ending}`)

/** Makes the folder, or closes it to others where it is open. */
export async function ensureUserState(environment: Environment): Promise<string> {
  const folder = userStateFolder(environment)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  return folder
}

/** The owner’s token of a repository: 64 hex digits. Null where there is none. */
export async function readOwnerToken(
  environment: Environment,
  commonDir: string,
): Promise<string | null> {
  const text = await readIfThere(ownerTokenFile(environment, commonDir))
  return text === null || text.trim() === '' ? null : text.trim()
}

/** The same, made where there is none. Two callers at once get the same. */
export async function ensureOwnerToken(
  environment: Environment,
  commonDir: string,
): Promise<string> {
  const existing = await readOwnerToken(environment, commonDir)
  if (existing !== null) return existing
  await ensureUserState(environment)
  const file = ownerTokenFile(environment, commonDir)
  const token = randomBytes(32).toString('hex')
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, `${token}\n`, { mode: 0o600, flag: 'wx' })
  try {
    // A link fails where the name is taken, so a token that somebody else just made is never
    // replaced.
    await link(draft, file)
    return token
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    const other = await readOwnerToken(environment, commonDir)
    if (other !== null) return other
    await rename(draft, file)
    return token
  } finally {
    await rm(draft, { force: true })
  }
}

/** What `exomonad ps` knows of a repository. */
export interface RepositoryRecord {
  readonly commonDir: string
  readonly home: string
  readonly socket: string
  /** Of the daemon, as it said when it started; null where it said it stopped. */
  readonly pid: number | null
}

export async function writeRepositoryRecord(
  environment: Environment,
  record: RepositoryRecord,
): Promise<void> {
  await ensureUserState(environment)
  await writeWhole(
    repositoryRecordFile(environment, record.commonDir),
    `${JSON.stringify(record, null, 2)}\n`,
  )
}

/** All repositories, by path. Files that don’t parse are left out. */
export async function listRepositoryRecords(environment: Environment): Promise<RepositoryRecord[]> {
  const folder = userStateFolder(environment)
  const names = await readdir(folder).catch(() => [])
  const records = await Promise.all(
    names
      .filter((name) => /^[0-9a-f]{10}\.json$/.test(name))
      .map(async (name) => parseRecord(await readIfThere(join(folder, name)))),
  )
  return records
    .filter((record) => record !== undefined)
    .sort((a, b) => a.home.localeCompare(b.home))
}

/** Forgets a repository: record, owner token and trust. */
export async function removeUserState(environment: Environment, commonDir: string): Promise<void> {
  const files = [repositoryRecordFile, ownerTokenFile, trustFile].map((path) =>
    path(environment, commonDir),
  )
  await Promise.all(files.map((file) => rm(file, { force: true })))
}

/** Replaces a private file in one step. */
export async function writeWhole(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString('hex')}`
  await writeFile(draft, text, { mode: 0o600, flag: 'wx' })
  await rename(draft, file)
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
