import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asExomonadError } from '../../../domain/errors.ts'
import { parseSha, type Sha } from '../../../domain/ids.ts'
import { mergeDriverSettings } from '../merge-drivers.ts'
import { mergePairs } from '../objects.ts'
import type { Run, RunOptions } from '../run.ts'
import { parseHunks } from './hunks.ts'
import { mergeBasesIn, parseHistory } from './merge-bases.ts'
import type { ForetoldMerge, NoSnapshot, RadarGit, TouchedPath } from './radar-git.ts'
import { createRadarObjects } from './radar-objects.ts'
import { createWorktreeSnapshots } from './worktree-snapshot.ts'

/** Where snapshots were kept by older versions, in the repository itself. */
const FORMER_REFS = 'refs/exomonad/snapshots/'
const FORMER_OBJECTS = 'exomonad/radar-objects'
/** Commits since the oldest fork; of more than these nothing is concluded. */
const MOST_COMMITS = 5_000
/** How git says that an object is missing or broken. */
const UNREADABLE =
  /corrupt|inflate|unable to (read|open|parse|unpack|find)|(bad|missing|invalid) (object|tree|blob|commit)|not a valid object|not something we can merge|not in this repository|could not (read|parse)|failed to (read|unpack)|unknown revision/i

/** `run`: at low priority. `atOnce`: for what somebody waits for. */
export function createRadarGit({
  run,
  atOnce,
  commonDir,
  mostObjects,
}: {
  run: Run
  atOnce: Run
  commonDir: string
  /** Bytes, of what is kept. */
  mostObjects?: number | undefined
}): RadarGit {
  const drivers = mergeDriverSettings(run)
  const objects = createRadarObjects({
    commonDir,
    ...(mostObjects === undefined ? {} : { most: mostObjects }),
  })
  const reading = async (): Promise<RunOptions> => ({ reads: true, env: await objects.variables() })

  const isUnreadable = (thrown: unknown): boolean => UNREADABLE.test(wordsIn(thrown))

  const foretellMerges: RadarGit['foretellMerges'] = async (pairs) => {
    if (pairs.length === 0) return []
    const settings = await drivers()
    return objects.discarding(async (env) => {
      const options = { settings, env }
      const all = await mergePairs(run, pairs, options).catch(() => undefined)
      if (all !== undefined) return all
      // One that git refuses ends the process.
      const results: (ForetoldMerge | NoSnapshot)[] = []
      for (const pair of pairs) {
        const [one] = await mergePairs(run, [pair], options).catch((thrown: unknown) => [
          {
            kind: 'unknown' as const,
            why: wordsIn(thrown),
            ...(isUnreadable(thrown) ? { unreadable: true as const } : {}),
          },
        ])
        results.push(one ?? { kind: 'unknown', why: 'git answered nothing' })
      }
      return results
    })
  }

  return {
    ...createWorktreeSnapshots({ run, objects }),
    foretellMerges,
    tidySnapshots: objects.tidy,
    forgetSnapshots: objects.clear,
    isUnreadable,

    removeFormerSnapshots: async () => {
      await rm(join(commonDir, FORMER_OBJECTS), { recursive: true, force: true })
      const args = ['for-each-ref', '--format=delete %(refname)', FORMER_REFS]
      const input = await atOnce.output('list snapshots', args, { reads: true })
      if (input !== '')
        await atOnce.output('remove snapshots', ['update-ref', '--stdin'], { input })
    },

    partedAt: async (one, other) => {
      const found = await run.attempt(['merge-base', one, other], await reading())
      return found.exitCode === 0 ? parseSha(found.stdout) : null
    },

    mergeBasesAmong: async (commits) => {
      const heads = [...new Set(commits)]
      if (heads.length < 2) return (one, other) => (one === other ? one : undefined)
      const options = await reading()
      const common = await run.attempt(['merge-base', '--octopus', '--all', ...heads], options)
      if (common.exitCode !== 0) return (one, other) => (one === other ? one : undefined)
      const bounds = common.stdout.split('\n').filter((line) => line !== '') as Sha[]
      const args = ['rev-list', '--parents', `--max-count=${MOST_COMMITS}`, ...heads, '--not']
      const history = parseHistory(await run.output('read history', [...args, ...bounds], options))
      return history.size >= MOST_COMMITS || bounds.length > 1
        ? (one, other) => (one === other ? one : undefined)
        : mergeBasesIn(history, bounds[0]!)
    },

    treesOf: async (commits) => {
      const wanted = [...new Set(commits)]
      if (wanted.length === 0) return new Map()
      const args = ['rev-parse', ...wanted.map((commit) => `${commit}^{tree}`)]
      const trees = (await run.output('read commits', args, await reading())).trimEnd().split('\n')
      return new Map(wanted.map((commit, index) => [commit, parseSha(trees[index] ?? '')]))
    },

    touchedPaths: async (pairs) => {
      if (pairs.length === 0) return []
      const args = ['diff-tree', '--stdin', '-r', '--name-status', '--no-renames', '-z']
      const text = await run.output('compare trees', args, {
        ...(await reading()),
        input: pairs.map(([from, to]) => `${from} ${to}\n`).join(''),
      })
      return parseTouched(text, pairs)
    },

    hunksOf: async (from, to, paths) => {
      if (paths.length === 0) return []
      // Of a renamed file both names have to be looked at, of which one is not known.
      const args = ['diff-tree', '-r', '-p', '-M', '--unified=0', '--no-color', '--no-ext-diff']
      const text = await run.output(
        'compare two commits',
        [...args, '--no-textconv', '--src-prefix=a/', '--dst-prefix=b/', from, to],
        await reading(),
      )
      const wanted = new Set(paths)
      return parseHunks(text).filter(({ path, newPath }) => wanted.has(path) || wanted.has(newPath))
    },
  }
}

/** What git said, where it said something. */
const wordsIn = (thrown: unknown): string => {
  const { facts, message } = asExomonadError(thrown)
  return String(facts['git'] ?? message)
}

/** Reads `git diff-tree --stdin --name-status -z` of two trees each. */
export function parseTouched(
  text: string,
  pairs: readonly (readonly [from: Sha, to: Sha])[],
): TouchedPath[][] {
  const all: TouchedPath[][] = []
  let rest = text
  for (const [from, to] of pairs) {
    const header = `${from} ${to}\n`
    const touched: TouchedPath[] = []
    if (rest.startsWith(header)) {
      rest = rest.slice(header.length)
      for (
        let change = /^([A-Z])\0/.exec(rest);
        change !== null;
        change = /^([A-Z])\0/.exec(rest)
      ) {
        const end = rest.indexOf('\0', 2)
        const letter = change[1]
        touched.push({
          path: rest.slice(2, end),
          change: letter === 'A' || letter === 'D' ? letter : 'M',
        })
        rest = rest.slice(end + 1)
      }
    }
    all.push(touched)
  }
  return all
}
