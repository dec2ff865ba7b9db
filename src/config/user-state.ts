import { randomBytes } from 'node:crypto'
import { chmod, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { repositoryHash } from '../runtime/paths.ts'
import type { Environment } from './environment.ts'
import { readIfThere, userStateFolder, type RepositoryRecord } from './repository-records.ts'

export {
  listRepositoryRecords,
  readIfThere,
  userStateFolder,
  type RepositoryRecord,
} from './repository-records.ts'

export const ownerTokenFile = (environment: Environment, commonDir: string): string =>
  fileOf(environment, commonDir, 'token')
export const trustFile = (environment: Environment, commonDir: string): string =>
  fileOf(environment, commonDir, 'trust.json')
/** Which items of the inbox a person was shown of a repository on another machine, by its name. */
export const shownElsewhereFile = (environment: Environment, name: string): string =>
  fileOf(environment, name, 'inbox-shown')
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
