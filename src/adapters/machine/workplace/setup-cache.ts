import { createHash, randomBytes } from 'node:crypto'
import {
  lstat,
  mkdir,
  readdir,
  readFile,
  realpath,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { delimiter, dirname, join } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import type { Exec } from '../../../processes/exec.ts'
import { readPlain } from '../../../processes/plain-file.ts'
import type { Log } from '../../../runtime/log.ts'
import { isWithin } from '../copy-link.ts'
import type { Trash } from '../trash.ts'
import { copyTree, type CopyMethod } from './copy-tree.ts'
import { inside, linkOnWay } from './within.ts'

/**
 * What set-up commands made, by the key of what they made it from. An entry is written aside and
 * gets its name in one step: there is all of it, or none.
 */
export interface SetupCache {
  /**
   * The name of what a command makes in a worktree as it is now; null where none of its key files
   * is there, or one is not to be read: no plain file, too large, or behind a link that leads out.
   * With the program itself: what another npm makes may be another thing.
   */
  keyOf(
    worktree: string,
    step: { run: readonly string[]; files: readonly string[]; outputs: readonly string[] },
    path: string,
  ): Promise<string | null>
  /**
   * Brings all outputs of an entry; false where there is none that is whole, or a symbolic link of
   * the worktree is on the way to one: nothing is written or removed then.
   */
  restore(
    hash: string,
    target: { worktree: string; method: CopyMethod; path: string },
  ): Promise<boolean>
  /**
   * Keeps outputs (files or folders of the worktree), and makes room for them. `linked`: one lies
   * behind a symbolic link, and may be anything of this machine.
   */
  keep(
    hash: string,
    source: {
      worktree: string
      outputs: readonly string[]
      method: CopyMethod
      path: string
      bounds: CacheBounds
    },
  ): Promise<'kept' | 'too large' | 'linked'>
  /** Drops what was not used for longest until the rest is within its bounds. */
  prune(bounds: CacheBounds): Promise<{ entries: number; bytes: number }>
}

export interface CacheBounds {
  readonly bytes: number
  readonly entries: number
}

const entrySchema = z.object({
  version: z.literal(1),
  outputs: z.array(z.string()),
  bytes: z.number(),
})

/** Of an entry: which outputs it has, and by its time when it was used last. */
const FACTS = 'entry.json'
const TREE = 'tree'
/** Begins the name of what is still being written. */
const MAKING = '.making-'
/** Of a file of a key. Bytes. */
const KEY_LIMIT = 64_000_000

export function createSetupCache({
  folder,
  exec,
  trash,
  log,
}: {
  folder: string
  exec: Exec
  trash: Pick<Trash, 'folder' | 'empty'>
  log: Log
}): SetupCache {
  /** Entries that outputs are being copied from, and how often. */
  const inUse = new Map<string, number>()

  const throwAway = async (name: string): Promise<void> => {
    await mkdir(trash.folder, { recursive: true, mode: 0o700 })
    const place = join(trash.folder, `setup-${randomBytes(6).toString('hex')}`)
    try {
      await rename(join(folder, name), place)
    } catch (thrown) {
      // Somebody else threw it away meanwhile.
      if (!(await exists(join(folder, name)))) return
      throw thrown
    }
    trash.empty()
  }

  const factsOf = async (name: string) => {
    const file = join(folder, name, FACTS)
    const facts = entrySchema.parse(parseJson(await readFile(file, 'utf8')))
    return { ...facts, usedAt: (await stat(file)).mtimeMs }
  }

  const pruneNow: SetupCache['prune'] = async (bounds) => {
    const found: { name: string; bytes: number; usedAt: number }[] = []
    for (const name of await readdir(folder).catch(() => [])) {
      if (name.startsWith(MAKING)) continue
      const facts = await factsOf(name).catch(() => null)
      if (facts === null) await throwAway(name)
      else found.push({ name, ...facts })
    }
    const dropped = { entries: 0, bytes: 0 }
    let [entries, bytes] = [found.length, found.reduce((sum, entry) => sum + entry.bytes, 0)]
    for (const entry of found.toSorted((one, other) => one.usedAt - other.usedAt)) {
      if (entries <= bounds.entries && bytes <= bounds.bytes) break
      if (inUse.has(entry.name)) continue
      await throwAway(entry.name)
      entries--
      bytes -= entry.bytes
      dropped.entries++
      dropped.bytes += entry.bytes
    }
    return dropped
  }

  let pruning: Promise<unknown> = Promise.resolve()
  /** One after the other: two at once would make the same room twice. */
  const prune: SetupCache['prune'] = (bounds) => {
    const pruned = pruning.then(() => pruneNow(bounds))
    pruning = pruned.catch(() => {})
    return pruned
  }

  /** What a crash left half written. */
  const cleared = (async () => {
    for (const name of await readdir(folder).catch(() => []))
      if (name.startsWith(MAKING)) await throwAway(name)
  })().catch((thrown: unknown) => log.warn({ err: thrown }, 'the set-up cache is not cleared'))

  return {
    keyOf: async (worktree, { run, files, outputs }, path) => {
      const contents: (Buffer | null)[] = []
      for (const file of files) {
        const content = await readKey(worktree, file)
        if (content === undefined) return null
        contents.push(content)
      }
      if (contents.every((content) => content === null)) return null
      const hash = createHash('sha256')
      const program = await programFacts(run[0] ?? '', worktree, path)
      hash.update(JSON.stringify([1, run, outputs, process.platform, process.arch, program]))
      for (const [index, content] of contents.entries())
        hash.update(`\n${JSON.stringify([files[index], sha256(content)])}`)
      return hash.digest('hex').slice(0, 40)
    },

    restore: async (hash, { worktree, method, path }) => {
      await cleared
      const facts = await factsOf(hash).catch(() => null)
      if (facts === null) return false
      const targets = facts.outputs.map((output) => inside(worktree, output))
      for (const to of targets) if ((await linkOnWay(worktree, to)) !== undefined) return false
      const begun: string[] = []
      inUse.set(hash, (inUse.get(hash) ?? 0) + 1)
      try {
        const now = new Date()
        await utimes(join(folder, hash, FACTS), now, now)
        for (const [index, output] of facts.outputs.entries()) {
          const to = targets[index] ?? ''
          begun.push(to)
          await rm(to, { recursive: true, force: true })
          await copyTree(exec, { from: join(folder, hash, TREE, output), to, method, path })
        }
        return true
      } catch (thrown) {
        log.warn({ err: thrown, entry: hash }, 'kept outputs of a set-up command can’t be used')
        for (const to of begun)
          if ((await linkOnWay(worktree, to)) === undefined)
            await rm(to, { recursive: true, force: true })
        await throwAway(hash).catch(() => {})
        return false
      } finally {
        const left = (inUse.get(hash) ?? 1) - 1
        if (left === 0) inUse.delete(hash)
        else inUse.set(hash, left)
      }
    },

    keep: async (hash, { worktree, outputs, method, path, bounds }) => {
      await cleared
      const sources = outputs.map((output) => inside(worktree, output))
      // One that is a link itself is kept as a link.
      for (const from of sources)
        if ((await linkOnWay(worktree, dirname(from))) !== undefined) return 'linked'
      const bytes = await sizeOf(exec, sources, path)
      if (bytes > bounds.bytes || bounds.entries < 1) return 'too large'
      const making = `${MAKING}${hash}-${randomBytes(4).toString('hex')}`
      try {
        await mkdir(join(folder, making, TREE), { recursive: true, mode: 0o700 })
        for (const output of outputs)
          await copyTree(exec, {
            from: inside(worktree, output),
            to: join(folder, making, TREE, output),
            method,
            path,
          })
        const facts = { version: 1, outputs: [...outputs], bytes } satisfies z.input<
          typeof entrySchema
        >
        await writeFile(join(folder, making, FACTS), JSON.stringify(facts), { mode: 0o600 })
        await rename(join(folder, making), join(folder, hash))
      } catch (thrown) {
        await rm(join(folder, making), { recursive: true, force: true })
        // Somebody kept the same meanwhile.
        if (await exists(join(folder, hash))) return 'kept'
        throw thrown
      }
      await prune(bounds).catch((thrown: unknown) =>
        log.warn({ err: thrown }, 'the set-up cache is not brought within its bounds'),
      )
      return 'kept'
    },

    prune,
  }
}

const sha256 = (content: Buffer | null): string | null =>
  content === null ? null : createHash('sha256').update(content).digest('hex')

/** Null where there is none; undefined where what is there is not to be read. */
async function readKey(worktree: string, file: string): Promise<Buffer | null | undefined> {
  const path = await realpath(inside(worktree, file)).catch(() => null)
  if (path === null) return null
  if (!isWithin(await realpath(worktree), path)) return undefined
  return (await readPlain(path, KEY_LIMIT)) ?? undefined
}

const exists = (path: string): Promise<boolean> =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** Which file a program is, and of which size and age; by its name alone where it isn’t found. */
async function programFacts(name: string, worktree: string, path: string) {
  const places = name.includes('/')
    ? [join(worktree, name), name]
    : path.split(delimiter).map((folder) => join(folder, name))
  for (const place of places) {
    try {
      const file = await realpath(place)
      const { size, mtimeMs } = await stat(file)
      // One of the worktree itself is as old as the worktree.
      return name.includes('/') ? [size] : [file, size, mtimeMs]
    } catch {
      continue
    }
  }
  return []
}

/** Room of files and folders on disk. Bytes. */
async function sizeOf(exec: Exec, places: readonly string[], path: string): Promise<number> {
  const { stdout } = await exec('du', ['-sk', '--', ...places], { env: { PATH: path } })
  return stdout.split('\n').reduce((sum, line) => sum + 1024 * (Number.parseInt(line, 10) || 0), 0)
}
