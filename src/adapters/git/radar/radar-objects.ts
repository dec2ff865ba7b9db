import { createHash } from 'node:crypto'
import { lstat, mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { deflate } from 'node:zlib'
import { parseSha, type Sha } from '../../../domain/ids.ts'
import { RADAR_FOLDER } from '../../../runtime/paths.ts'
import { createMutex } from '../mutex.ts'

/** Bytes on the disk; with more it is begun anew. */
const MOST_OBJECTS = 200_000_000
/** A partial clone would fetch what it lacks. */
const AT_HOME = { GIT_NO_LAZY_FETCH: '1' }
const BLOCK = 512
/** What an object takes at least: one block of most file systems. */
export const LEAST_OBJECT = 4_096
/** Folders and files that are looked at side by side. */
const AT_ONCE = 16
/** A git of a daemon that was killed may still be writing. */
const GONE = { recursive: true, force: true, maxRetries: 3, retryDelay: 50 }

/** Where git writes, and what else it reads. */
export type Variables = Readonly<Record<string, string>>

/**
 * A folder of git objects beside those of the repository: whatever snapshots and merges on trial
 * write is in it, and neither reachable from the repository nor seen by anything there.
 */
export interface RadarObjects {
  /** Of a git that reads, or writes what is to stay. */
  variables(): Promise<Variables>
  /** Of a git whose objects are thrown away after `work`. One at a time. */
  discarding<T>(work: (variables: Variables) => Promise<T>): Promise<T>
  /** A commit of a tree: the same for the same two. Without a process: it is so small. */
  commit(tree: Sha, parent: Sha): Promise<Sha>
  /** Whether a commit was made since it was begun anew. */
  has(commit: Sha): boolean
  /** About so many bytes may have been written. */
  note(bytes: number): void
  /** Begins anew where it has grown too large, or is not the one that was written to. */
  tidy(): Promise<boolean>
  /** Takes away all there is. */
  clear(): Promise<void>
}

/** `most`: bytes. */
export function createRadarObjects({
  commonDir,
  most = MOST_OBJECTS,
}: {
  commonDir: string
  most?: number
}): RadarObjects {
  const folder = join(commonDir, RADAR_FOLDER)
  const [kept, discarded] = [join(folder, 'objects'), join(folder, 'merges')]
  const repository = join(commonDir, 'objects')
  const lock = createMutex()
  const made = new Set<Sha>()
  /** The folder that was written to. */
  let own: string | undefined
  /** Bytes: what was found at the last look, and what may have come since. */
  let [found, since] = [0, 0]

  const variablesOf = (objects: string, others: readonly string[]): Variables => ({
    ...AT_HOME,
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: others.map(quoted).join(':'),
  })

  const clear = async (): Promise<void> => {
    own = undefined
    made.clear()
    ;[found, since] = [0, 0]
    await rm(folder, GONE)
  }

  /** What another daemon left is of no use: its snapshots are not known any more. */
  const begin = async (): Promise<void> => {
    if (own === undefined) await clear()
    await mkdir(kept, { recursive: true, mode: 0o700 })
    own ??= await identityOf(kept)
  }
  const ready = (): Promise<void> => lock(begin)

  return {
    has: (commit) => made.has(commit),
    note: (bytes) => {
      since += bytes
    },
    clear: () => lock(clear),

    tidy: () =>
      lock(async () => {
        if (own === undefined) return false
        const isOurs = (await identityOf(kept)) === own
        if (isOurs && found + since <= most) return false
        // What was noted is the most that may have been written.
        if (isOurs) [found, since] = [await sizeOf(kept), 0]
        if (isOurs && found <= most / 2) return false
        await clear()
        return true
      }),

    variables: async () => {
      await ready()
      return variablesOf(kept, [repository])
    },

    discarding: async (work) => {
      await ready()
      return lock(async () => {
        await rm(discarded, GONE)
        await mkdir(discarded, { recursive: true, mode: 0o700 })
        try {
          return await work(variablesOf(discarded, [kept, repository]))
        } finally {
          await rm(discarded, GONE)
        }
      })
    },

    commit: async (tree, parent) => {
      await ready()
      const object = commitObject(tree, parent)
      const sha = parseSha(
        createHash(parent.length > 40 ? 'sha256' : 'sha1')
          .update(object)
          .digest('hex'),
      )
      const file = join(kept, sha.slice(0, 2), sha.slice(2))
      await mkdir(join(kept, sha.slice(0, 2)), { recursive: true })
      // Whole or not at all, as git has it.
      await writeFile(`${file}.new`, await promisify(deflate)(object), { mode: 0o444 })
      await rename(`${file}.new`, file)
      made.add(sha)
      since += LEAST_OBJECT
      return sha
    },
  }
}

/**
 * `who` and when are always the same, so that the same files are the same commit. It is dated after
 * all others: git looks for common ancestors from the newest on.
 */
function commitObject(tree: Sha, parent: Sha): Buffer {
  const who = 'exomonad <exomonad@localhost> 4102444800 +0000'
  const text = `tree ${tree}\nparent ${parent}\nauthor ${who}\ncommitter ${who}\n\nA worktree as it was, kept by exomonad\n`
  return Buffer.from(`commit ${text.length}\0${text}`)
}

/** As git reads one of a list, whatever is in it. */
const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`

const identityOf = (path: string): Promise<string> =>
  lstat(path, { bigint: true }).then(
    ({ dev, ino, birthtimeNs }) => `${dev} ${ino} ${birthtimeNs}`,
    () => '',
  )

async function sizeOf(objects: string): Promise<number> {
  let bytes = 0
  const add = async (file: string): Promise<void> => {
    const stat = await lstat(file).catch(() => null)
    if (stat?.isDirectory() === true) await addAll(file)
    else bytes += (stat?.blocks ?? 0) * BLOCK
  }
  const addAll = async (at: string): Promise<void> => {
    const names = await readdir(at).catch(() => [])
    for (let from = 0; from < names.length; from += AT_ONCE)
      await Promise.all(names.slice(from, from + AT_ONCE).map((name) => add(join(at, name))))
  }
  await addAll(objects)
  return bytes
}
