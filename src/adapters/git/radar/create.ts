import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { asExomonadError } from '../../../domain/errors.ts'
import { parseSha, type Sha } from '../../../domain/ids.ts'
import { RADAR_OBJECTS } from '../../../runtime/paths.ts'
import { mergeDriverSettings } from '../merge-drivers.ts'
import { createMutex } from '../mutex.ts'
import { mergePairs } from '../objects.ts'
import type { Run } from '../run.ts'
import { parseHunks } from './hunks.ts'
import { mergeBasesIn, parseHistory } from './merge-bases.ts'
import type { ForetoldMerge, NoSnapshot, RadarGit, TouchedPath } from './radar-git.ts'
import { createWorktreeSnapshots } from './worktree-snapshot.ts'

/** Each child’s last one, by its id: what git reaches from them no `git gc` takes. */
export const SNAPSHOT_REFS = 'refs/exomonad/snapshots/'
/** Commits since the oldest fork; of more than these nothing is concluded. */
const MOST_COMMITS = 5_000
/** A partial clone would fetch what it lacks. */
const AT_HOME = { GIT_NO_LAZY_FETCH: '1' }

/** `run`: at low priority. `atOnce`: for what somebody waits for. */
export function createRadarGit({
  run,
  atOnce,
  commonDir,
}: {
  run: Run
  atOnce: Run
  commonDir: string
}): RadarGit {
  const drivers = mergeDriverSettings(run)
  const lock = createMutex()
  const reading = { reads: true, env: AT_HOME }

  const keptSnapshots: RadarGit['keptSnapshots'] = async () => {
    const args = ['for-each-ref', '--format=%(objectname) %(refname)', SNAPSHOT_REFS]
    const text = await run.output('list snapshots', args, reading)
    return new Map(
      text.split('\n').flatMap((line) => {
        const [sha, ref] = line.split(' ', 2)
        return sha === undefined || ref === undefined
          ? []
          : [[ref.slice(SNAPSHOT_REFS.length), parseSha(sha)]]
      }),
    )
  }

  /** Git writes what it merges: into a folder of its own, which is thrown away. */
  const inQuarantine = <T>(work: (env: Record<string, string>) => Promise<T>): Promise<T> =>
    lock(async () => {
      const objects = join(commonDir, RADAR_OBJECTS)
      await rm(objects, { recursive: true, force: true })
      await mkdir(objects, { recursive: true, mode: 0o700 })
      try {
        return await work({
          ...AT_HOME,
          GIT_OBJECT_DIRECTORY: objects,
          GIT_ALTERNATE_OBJECT_DIRECTORIES: quoted(join(commonDir, 'objects')),
        })
      } finally {
        await rm(objects, { recursive: true, force: true })
      }
    })

  const foretellMerges: RadarGit['foretellMerges'] = async (pairs) => {
    if (pairs.length === 0) return []
    const settings = await drivers()
    return inQuarantine(async (env) => {
      const options = { settings, env }
      const all = await mergePairs(run, pairs, options).catch(() => undefined)
      if (all !== undefined) return all
      // One that git refuses ends the process.
      const results: (ForetoldMerge | NoSnapshot)[] = []
      for (const pair of pairs) {
        const [one] = await mergePairs(run, [pair], options).catch((thrown: unknown) => [
          {
            kind: 'unknown' as const,
            why: String(asExomonadError(thrown).facts['git'] ?? asExomonadError(thrown).message),
          },
        ])
        results.push(one ?? { kind: 'unknown', why: 'git answered nothing' })
      }
      return results
    })
  }

  return {
    ...createWorktreeSnapshots({ run }),
    keptSnapshots,
    foretellMerges,

    keepSnapshots: async (commits) => {
      if (commits.size === 0) return
      const lines = [...commits].map(([name, commit]) =>
        commit === null
          ? `delete ${SNAPSHOT_REFS}${name}\n`
          : `update ${SNAPSHOT_REFS}${name} ${commit}\n`,
      )
      await atOnce.output('keep snapshots', ['update-ref', '--stdin'], { input: lines.join('') })
    },

    mergeBasesAmong: async (commits) => {
      const heads = [...new Set(commits)]
      if (heads.length < 2) return (one, other) => (one === other ? one : undefined)
      const common = await run.attempt(['merge-base', '--octopus', '--all', ...heads], reading)
      if (common.exitCode !== 0) return (one, other) => (one === other ? one : undefined)
      const bounds = common.stdout.split('\n').filter((line) => line !== '') as Sha[]
      const args = ['rev-list', '--parents', `--max-count=${MOST_COMMITS}`, ...heads, '--not']
      const history = parseHistory(await run.output('read history', [...args, ...bounds], reading))
      return history.size >= MOST_COMMITS || bounds.length > 1
        ? (one, other) => (one === other ? one : undefined)
        : mergeBasesIn(history, bounds[0]!)
    },

    treesOf: async (commits) => {
      const wanted = [...new Set(commits)]
      if (wanted.length === 0) return new Map()
      const args = ['rev-parse', ...wanted.map((commit) => `${commit}^{tree}`)]
      const trees = (await run.output('read commits', args, reading)).trimEnd().split('\n')
      return new Map(wanted.map((commit, index) => [commit, parseSha(trees[index] ?? '')]))
    },

    touchedPaths: async (pairs) => {
      if (pairs.length === 0) return []
      const args = ['diff-tree', '--stdin', '-r', '--name-status', '--no-renames', '-z']
      const text = await run.output('compare trees', args, {
        ...reading,
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
        reading,
      )
      const wanted = new Set(paths)
      return parseHunks(text).filter(({ path, newPath }) => wanted.has(path) || wanted.has(newPath))
    },
  }
}

/** As git reads one of a list, whatever is in it. */
const quoted = (path: string): string => `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"`

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
