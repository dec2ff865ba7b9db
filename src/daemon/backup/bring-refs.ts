import { existsSync } from 'node:fs'
import { parseWorktreeList, withMainAt } from '../../adapters/git/worktrees/worktree-list.ts'
import type { AdoptedAgent } from '../../adapters/store/sqlite/adopt-copy.ts'
import type { Git } from '../../adapters/git/git.ts'
import { asBranchName, parseSha, type Sha } from '../../domain/ids.ts'
import { listRefs, setRefs, type RunGit } from './git-runner.ts'
import type { BackupManifest } from './manifest.ts'

/** What is in a bundle, as long as it is being taken up. */
const BUNDLED = 'refs/exomonad/restoring/'
/** Where a branch of a backup is put that goes another way than the one here. */
const BESIDE = 'refs/heads/restored/'

export interface BroughtBranches {
  /** Branches that were not here, and those that were moved forward. */
  readonly made: readonly string[]
  readonly moved: readonly string[]
  /** Those that go another way here: the backup’s is `restored/<branch>`. */
  readonly beside: readonly string[]
}

export interface BroughtWorktrees {
  /** Folders of agents’ worktrees that are there (again). */
  readonly worktrees: readonly string[]
  /** Folders with changes that were not committed. */
  readonly uncommitted: readonly string[]
  /** What could not be brought back, and why. */
  readonly lacking: readonly { readonly path: string; readonly why: string }[]
}

const worktreesOf = async (run: RunGit, commonDir: string) =>
  parseWorktreeList(await run(commonDir, ['worktree', 'list', '--porcelain', '-z']))

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  )

/** Nothing that is here goes back or is lost: what differs is put beside it. */
export async function bringBranches({
  run,
  bundle,
  commonDir,
}: {
  run: RunGit
  bundle: string
  commonDir: string
}): Promise<BroughtBranches> {
  await run(commonDir, [
    ...['fetch', '--quiet', '--no-tags', '--prune', '--no-write-fetch-head'],
    ...['--no-auto-maintenance', '--no-recurse-submodules', '--', bundle, `+refs/*:${BUNDLED}*`],
  ])
  const bundled = await listRefs(run, commonDir, `${BUNDLED}heads/`, `${BUNDLED}tags/`)
  const here = new Map(
    (await listRefs(run, commonDir, 'refs/heads/', 'refs/tags/')).map(({ name, sha }) => [
      name,
      sha,
    ]),
  )
  const checkedOut = await worktreesOf(run, commonDir)
  const updates: string[] = []
  const [made, moved, beside]: [string[], string[], string[]] = [[], [], []]
  for (const { name: from, sha } of bundled) {
    const name = `refs/${from.slice(BUNDLED.length)}`
    const now = here.get(name)
    const branch = name.replace(/^refs\/heads\//, '')
    if (now === undefined) {
      updates.push(`create ${name} ${sha}`)
      if (branch !== name) made.push(branch)
      continue
    }
    if (now === sha || branch === name) continue
    const isBefore = (one: string, other: string): Promise<boolean> =>
      succeeds(run(commonDir, ['merge-base', '--is-ancestor', one, other]))
    if (await isBefore(sha, now)) continue
    const there = checkedOut.find((one) => one.branch === asBranchName(branch))
    const forward =
      (await isBefore(now, sha)) &&
      (there === undefined ||
        (await succeeds(run(there.path, ['merge', '--ff-only', '--quiet', sha]))))
    if (!forward) {
      updates.push(`update ${BESIDE}${branch} ${sha}`)
      beside.push(branch)
      continue
    }
    moved.push(branch)
    if (there === undefined) updates.push(`update ${name} ${sha} ${now}`)
  }
  await setRefs(run, commonDir, updates)
  return { made, moved, beside }
}

/** Makes worktrees of agents again, and puts what was not committed into them. */
export async function bringWorktrees({
  run,
  git,
  commonDir,
  agents,
  rootWorktree,
  worktrees,
}: {
  run: RunGit
  git: Pick<Git, 'snapshotTree' | 'changedPaths'>
  commonDir: string
  agents: readonly AdoptedAgent[]
  rootWorktree: string
  /** Where they are to be. */
  worktrees: BackupManifest['worktrees']
}): Promise<BroughtWorktrees> {
  await run(commonDir, ['worktree', 'prune'])
  const there: string[] = []
  const uncommitted: string[] = []
  const lacking: { path: string; why: string }[] = []
  const wanted = new Set(agents.filter((agent) => agent.needsWorktree).map((one) => one.worktree))
  const known = withMainAt(await worktreesOf(run, commonDir), { commonDir, main: rootWorktree })
  for (const { path, branch, number, uncommitted: dirty } of worktrees) {
    const isRoot = path === rootWorktree
    if (!isRoot && !wanted.delete(path)) continue
    try {
      const own = known.find((one) => one.path === path)
      if (own === undefined && existsSync(path)) {
        lacking.push({ path, why: 'something else is there' })
        continue
      }
      const commit = `${BUNDLED}worktrees/${number}`
      if (own === undefined) {
        const at = branch === null ? ['--detach', path, commit] : [path, branch]
        await run(commonDir, ['worktree', 'add', '--quiet', ...at])
      }
      if (!isRoot) there.push(path)
      if (!dirty) continue
      const changes = `${BUNDLED}uncommitted/${number}`
      if (!(await isAsBefore({ run, git }, path, { commit, uncommitted: changes }))) {
        const name = `${BESIDE}uncommitted-${number}`
        await setRefs(run, commonDir, [`update ${name} ${changes}`])
        lacking.push({
          path,
          why: `what was not committed there is in branch ${name.replace('refs/heads/', '')}: the worktree is not as it was then`,
        })
        continue
      }
      const source = `--source=${changes}`
      await run(path, ['restore', source, '--worktree', '--', ':/'])
      uncommitted.push(path)
    } catch (error) {
      lacking.push({ path, why: (error as Error).message })
    }
  }
  for (const path of wanted) lacking.push({ path, why: 'the backup has no worktree of it' })
  const left = await listRefs(run, commonDir, BUNDLED)
  await setRefs(
    run,
    commonDir,
    left.map(({ name }) => `delete ${name}`),
  )
  return { worktrees: there, uncommitted, lacking }
}

/**
 * Whether it stands on the commit that the changes were made on, and what is changed in it is as it
 * was then: as far as a restore that was cut off had come.
 */
async function isAsBefore(
  { run, git }: { run: RunGit; git: Pick<Git, 'snapshotTree' | 'changedPaths'> },
  path: string,
  { commit, uncommitted }: { commit: string; uncommitted: string },
): Promise<boolean> {
  const resolve = async (name: string): Promise<Sha> =>
    parseSha((await run(path, ['rev-parse', `${name}^{tree}`])).trim())
  const [head, wanted] = await Promise.all(
    ['HEAD', commit].map((name) => run(path, ['rev-parse', `${name}^{commit}`])),
  )
  if (head !== wanted) return false
  const [was, then] = await Promise.all([resolve(commit), resolve(uncommitted)])
  const now = await resolve(await git.snapshotTree(path))
  const missing = new Set(await git.changedPaths(now, then))
  return (await git.changedPaths(was, now)).every((changed) => !missing.has(changed))
}
