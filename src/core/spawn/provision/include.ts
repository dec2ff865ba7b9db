import { join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { Agent } from '../../../domain/records.ts'
import type { Deps } from '../../deps.ts'
import { chooseEntries, type ChosenEntry } from './choose-entries.ts'
import { escapeGlob } from './globs.ts'

/** The convention of several tools: patterns as in .gitignore of what new worktrees get. */
const SHARED_LIST = '.worktreeinclude'

interface IncludeRun {
  readonly config: Config
  /** The worktree that ignored files come from. */
  readonly from: string
  readonly agent: Agent
  /** PATH of the programs that copy. */
  readonly path: string
  readonly say: (words: string) => Promise<void>
}

/**
 * Brings ignored files and folders into a new worktree, folders as a whole. Nothing that git tracks
 * there is written over. Returns what was left out, in sentences.
 */
export function createInclude({
  git,
  files,
  bring,
}: Pick<Deps, 'git' | 'files' | 'bring'>): (run: IncludeRun) => Promise<string[]> {
  const listed = async (from: string): Promise<string[] | null> =>
    (await files.exists(join(from, SHARED_LIST)))
      ? git.entriesListedBy(from, join(from, SHARED_LIST))
      : null

  /** Without what is a repository or a worktree of its own, or holds one. */
  const withoutRepositories = async (
    from: string,
    entries: readonly ChosenEntry[],
  ): Promise<ChosenEntry[]> => {
    if (!entries.some(({ folder }) => folder)) return [...entries]
    const worktrees = (await git.worktrees()).map(({ path }) => path)
    const kept: ChosenEntry[] = []
    for (const entry of entries) {
      const place = join(from, entry.path)
      const holds = worktrees.some((path) => path === place || path.startsWith(`${place}/`))
      const nested = entry.folder && (await files.exists(join(place, '.git')))
      if (!holds && !nested) kept.push(entry)
    }
    return kept
  }

  return async ({ config, from, agent, path, say }) => {
    const { include } = config.worktree
    const shared = await listed(from)
    if (include.length === 0 && shared === null) return []
    const all = await git.ignoredEntries(from)
    const { entries, within } = chooseEntries({
      all,
      include: include.map((entry) =>
        typeof entry === 'string' ? { path: entry, method: 'copy' } : entry,
      ),
      shared: shared ?? [],
    })
    const chosen = await withoutRepositories(from, entries)
    // What a pattern means inside of a folder that is not meant as a whole.
    for (const { path: glob, method } of within)
      for (const file of await git.ignoredFiles(from, [glob]))
        if (!chosen.some((entry) => entry.path === file || file.startsWith(`${entry.path}/`)))
          chosen.push({ path: file, folder: false, method, shared: false })

    const { worktree } = agent
    const tracked = new Set(
      await git.trackedFiles(
        worktree,
        chosen.map((entry) => escapeGlob(entry.path)),
      ),
    )
    const lacking: string[] = []
    /** One by one: some of it is there already, and not ours to replace. */
    const each = async (entry: ChosenEntry): Promise<void> => {
      const found = entry.folder
        ? await git.ignoredFiles(from, [escapeGlob(entry.path)])
        : [entry.path]
      await files.copyInto(
        from,
        worktree,
        found.filter((file) => !tracked.has(file)),
      )
    }
    const one = async (entry: ChosenEntry): Promise<void> => {
      const { method } = entry
      if (!entry.folder && method === 'copy') return each(entry)
      if (method === 'symlink') {
        lacking.push(...(await link(entry)))
        return
      }
      if (await files.exists(join(worktree, entry.path))) return each(entry)
      if (!(await bring.copy({ from, to: worktree, entry: entry.path, method, path })))
        lacking.push(
          `${entry.path} was left out: its file system makes no copies that share their blocks (method = "reflink").`,
        )
    }
    const link = async ({ path: place }: ChosenEntry): Promise<string[]> => {
      await bring.link({ from, to: worktree, entry: place })
      if (await git.isIgnored(worktree, place)) return []
      await bring.unlink({ to: worktree, entry: place })
      return [
        `${place} was left out: as a link it would not be ignored. Write it without a / at its end in .gitignore.`,
      ]
    }
    const folders = chosen.filter(({ folder }) => folder).map((entry) => entry.path)
    if (folders.length > 0) await say(`copying ${folders.join(', ')}`)
    const waiting = [...chosen]
    const work = async (): Promise<void> => {
      for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
        try {
          await one(next)
        } catch (thrown) {
          const error = asExomonadError(thrown)
          // What the configuration names was asked for; of a shared list one part may not fit here.
          if (!next.shared || error.code !== 'OUTSIDE_ROOT') {
            waiting.length = 0
            throw thrown
          }
          lacking.push(`${next.path} was left out: ${error.message}`)
        }
      }
    }
    // All of them end before this fails: the worktree is removed then, and a copy that goes on would
    // make it anew.
    const ended = await Promise.allSettled(Array.from({ length: AT_ONCE }, work))
    for (const result of ended) if (result.status === 'rejected') throw result.reason
    return lacking
  }
}

/** Copies at the same time: beyond that a disk gets no faster. */
const AT_ONCE = 4
