import { createHash } from 'node:crypto'
import { lstat, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { ExomonadError } from '../domain/errors.ts'
import type { Paths } from '../runtime/paths.ts'
import type { Environment } from './environment.ts'
import { ensureUserState, readIfThere, trustFile, writeWhole } from './user-state.ts'
import { parseJson } from '../domain/formats/parse-json.ts'

/**
 * A repository from elsewhere runs nothing here before its user said so: the configuration and
 * templates that git tracks must be, byte for byte, what `exomonad trust` (or init) recorded on
 * this machine. Files that git doesn’t track are the user’s own.
 */
export interface TrustSubject {
  readonly paths: Paths
  readonly environment: Environment
  /** Paths of files below `.exomonad/` that git tracks, relative to the worktree that holds it. */
  readonly trackedFiles: () => Promise<readonly string[]>
}

export type Trust =
  | { readonly trusted: true }
  | { readonly trusted: false; readonly changed: readonly string[] }

/**
 * SHA-256 by path; `null` stands for a symbolic link, which is never trusted: what it points to
 * could change unseen.
 */
type Digests = Map<string, string | null>

interface TrustRecord {
  readonly version: 1
  readonly files: Readonly<Record<string, string>>
  /**
   * Kind and SHA-256 of what has run here, the newest last: that it is committed, moved or taken
   * back to makes nothing of it that it was not.
   */
  readonly ran?: readonly string[]
}

/** As many versions of one’s own configuration. */
const REMEMBERED = 200

/**
 * Content as what it was trusted as: a template is text, and as a configuration the same text could
 * run anything.
 */
const asKind = (path: string, digest: string): string =>
  `${path === '.exomonad/config.toml' ? 'configuration' : 'template'} ${digest}`

/**
 * Whether what git tracks is what was trusted; `changed` names the files that are new or different.
 * A file that is gone is not used.
 */
export async function checkTrust(subject: TrustSubject): Promise<Trust> {
  const { files, ran = [] } = await readRecord(subject)
  const known = new Set([
    ...Object.entries(files).map(([path, digest]) => asKind(path, digest)),
    ...ran,
  ])
  const notTrusted = (now: Digests): string[] =>
    [...now]
      .filter(([path, digest]) => digest === null || !known.has(asKind(path, digest)))
      .map(([path]) => path)
  // Where all that is there was trusted, it makes no difference what of it git tracks: every spawn
  // asks this.
  const all = await whole(subject.paths)
  if (all !== null && notTrusted(all).length === 0) return { trusted: true }
  const changed = notTrusted(await digests(subject.paths, relevant(await subject.trackedFiles())))
  return changed.length === 0 ? { trusted: true } : { trusted: false, changed: changed.sort() }
}

/** Throws UNTRUSTED_CONFIG where `checkTrust` finds changes. */
export async function assertTrusted(subject: TrustSubject): Promise<void> {
  const trust = await checkTrust(subject)
  if (trust.trusted) return rememberRan(subject)
  throw new ExomonadError(
    'UNTRUSTED_CONFIG',
    `Nothing was run: ${listed(trust.changed)} came with the repository and ${trust.changed.length === 1 ? 'has' : 'have'} not been trusted as ${trust.changed.length === 1 ? 'it is' : 'they are'} now. Read ${trust.changed.length === 1 ? 'it' : 'them'}, then run \`exomonad trust\`.`,
    { changed: trust.changed },
  )
}

/**
 * What runs here now stays trusted wherever it comes to lie: an agent that adds all files of its
 * worktree commits the user’s own configuration, and the next spawn must not stop at it; nor where
 * a person takes back what was trusted since. Called where it is about to be used.
 */
export async function rememberRan(subject: TrustSubject): Promise<void> {
  const found = await digests(subject.paths, await present(subject.paths))
  const record = await readRecord(subject)
  const known = new Set(record.ran)
  const fresh = [...found].flatMap(([path, digest]) =>
    digest === null || known.has(asKind(path, digest)) ? [] : [asKind(path, digest)],
  )
  if (fresh.length === 0) return
  await ensureUserState(subject.environment)
  const ran = [...(record.ran ?? []), ...new Set(fresh)].slice(-REMEMBERED)
  await writeWhole(
    trustFile(subject.environment, subject.paths.commonDir),
    `${JSON.stringify({ ...record, ran }, null, 2)}\n`,
  )
}

/**
 * Records configuration and templates as they are now, tracked or not, so that committing them
 * later asks nothing. With `only`, these paths are added to what is trusted already. Returns the
 * paths. OUTSIDE_ROOT for symbolic links.
 */
export async function recordTrust(
  subject: TrustSubject,
  only?: readonly string[],
): Promise<string[]> {
  const paths = only ?? [
    ...new Set([...relevant(await subject.trackedFiles()), ...(await present(subject.paths))]),
  ]
  const now = await digests(subject.paths, paths)
  const before = await readRecord(subject)
  const files: Record<string, string> = only === undefined ? {} : { ...before.files }
  for (const [path, digest] of [...now].sort(([a], [b]) => a.localeCompare(b))) {
    if (digest === null) {
      throw new ExomonadError(
        'OUTSIDE_ROOT',
        `${path} is a symbolic link, which can’t be trusted: put the file itself there.`,
        { path },
      )
    }
    files[path] = digest
  }
  await ensureUserState(subject.environment)
  const record: TrustRecord = {
    version: 1,
    files,
    ...(before.ran === undefined ? {} : { ran: before.ran }),
  }
  await writeWhole(
    trustFile(subject.environment, subject.paths.commonDir),
    `${JSON.stringify(record, null, 2)}\n`,
  )
  return [...now.keys()].sort()
}

const listed = (paths: readonly string[]): string =>
  paths.length <= 3
    ? paths.join(', ')
    : `${paths.slice(0, 3).join(', ')} and ${paths.length - 3} more`

/** The configuration, the templates, and links in the place of their folders. */
function relevant(tracked: readonly string[]): string[] {
  return tracked.filter(
    (path) =>
      ['.exomonad', '.exomonad/config.toml', '.exomonad/templates'].includes(path) ||
      path.startsWith('.exomonad/templates/'),
  )
}

/** All that there is; the configuration may be missing, which `digests` leaves out. */
async function present(paths: Paths): Promise<string[]> {
  return ['.exomonad/config.toml', ...(await templatesIn(paths).catch(() => []))]
}

async function templatesIn(paths: Paths): Promise<string[]> {
  const entries = await readdir(paths.templates, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return entries.flatMap((entry) =>
    entry.isDirectory()
      ? []
      : [relative(paths.home, join(entry.parentPath, entry.name)).split(sep).join('/')],
  )
}

/**
 * Of all that could be used, tracked or not; null where a folder is none of its own (a link, a
 * submodule) or can’t be read.
 */
async function whole(paths: Paths): Promise<Digests | null> {
  for (const folder of [dirname(paths.configFile), paths.templates]) {
    const kind = await lstat(folder).catch((error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? undefined : null,
    )
    if (
      kind === null ||
      (kind !== undefined && (!kind.isDirectory() || (await exists(join(folder, '.git')))))
    )
      return null
  }
  const templates = await templatesIn(paths).catch(() => null)
  return templates === null
    ? null
    : digests(paths, ['.exomonad/config.toml', ...templates]).catch(() => null)
}

async function digests(paths: Paths, files: readonly string[]): Promise<Digests> {
  const result: Digests = new Map()
  for (const file of files) {
    const path = join(paths.home, file)
    const kind = await lstat(path).catch(() => undefined)
    // Tracked but not there: it isn’t used, so there is nothing to trust.
    if (kind === undefined) continue
    result.set(
      file,
      kind.isFile()
        ? createHash('sha256')
            .update(await readFile(path))
            .digest('hex')
        : null,
    )
  }
  return result
}

async function readRecord(subject: TrustSubject): Promise<TrustRecord> {
  const none: TrustRecord = { version: 1, files: {} }
  const text = await readIfThere(trustFile(subject.environment, subject.paths.commonDir))
  if (text === null) return none
  try {
    const record = parseJson(text) as Partial<TrustRecord>
    return {
      ...none,
      ...(record.files === undefined ? {} : { files: record.files }),
      ...(record.ran === undefined ? {} : { ran: record.ran }),
    }
  } catch {
    return none
  }
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )
