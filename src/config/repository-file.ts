import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ExomonadError } from '../domain/errors.ts'
import { parseJson } from '../domain/formats/parse-json.ts'

/**
 * `<state>/repository.json`: what cannot be derived from the repository. Written by
 * `exomonad init`.
 */
export interface RepositoryFile {
  readonly version: 1
  /** Worktree that holds `.exomonad/`. */
  readonly home: string
  /** Worktree whose branch is the root’s. */
  readonly rootWorktree: string
  /** The daemon’s Unix socket. */
  readonly socket: string
  /** What init changed and deinit takes back. */
  readonly made?: {
    /** SHA-256 of the config.toml that init wrote; null where there was one. */
    readonly config: string | null
    readonly excludes: readonly string[]
  }
}

/**
 * Null where exomonad is not set up. Throws INTERNAL where the file is not what init writes, NOT_ALLOWED
 * where it is another user’s.
 */
export async function readRepositoryFile(
  file: string,
  read: (path: string, encoding: 'utf8') => Promise<string> = readFile,
): Promise<RepositoryFile | null> {
  let text: string
  try {
    text = await read(file, 'utf8')
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException
    if (['ENOENT', 'ENOTDIR'].includes(code)) return null
    if (code === 'EACCES')
      throw new ExomonadError(
        'NOT_ALLOWED',
        `exomonad was set up here by another user, who alone may read ${dirname(file)}: the daemon and the agents are theirs. Run this as that user, or work in a clone of your own.`,
        { file },
      )
    throw error
  }
  const value = parse(text)
  if (value === undefined) {
    throw new ExomonadError(
      'INTERNAL',
      `${file} is damaged. Remove it and run \`exomonad init\` again; nothing else is lost.`,
      { file },
    )
  }
  return value
}

export async function writeRepositoryFile(file: string, content: RepositoryFile): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(content, null, 2)}\n`, { mode: 0o600 })
  await rename(draft, file)
}

function parse(text: string): RepositoryFile | undefined {
  try {
    const value = parseJson(text) as Partial<RepositoryFile>
    const complete = [value.home, value.rootWorktree, value.socket].every(
      (path) => typeof path === 'string' && path !== '',
    )
    return value.version === 1 && complete ? (value as RepositoryFile) : undefined
  } catch {
    return undefined
  }
}
