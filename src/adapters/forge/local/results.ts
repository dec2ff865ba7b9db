import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { CheckRow, PullRow } from '../../../domain/forge-rows.ts'
import type { Branches } from '../branches.ts'
import type { Hints } from '../hints.ts'
import type { MergeChain, MergeLink, MergeResults } from '../merge-results.ts'
import { createMemory } from '../memory.ts'
import type { CheckConfig } from './check-config.ts'
import { logTail, wholeLog } from './check-log.ts'
import type { CheckRuns } from './check-runs.ts'
import { isEnded } from './check-state.ts'
import { CHECK_NAME, type Checks } from './checks.ts'
import { createMergeCommit, type MergeCommit, type MergedPull } from './merge-commit.ts'
import type { Merging } from './merge.ts'
import type { LocalForgeOptions } from './options.ts'
import { requirePull } from './urls.ts'

/** So many merges are remembered, each a few short texts. */
const MADE_KEPT = 500

/** Of so many runs the middle one is what a check takes as a rule. */
const RUNS_LOOKED_AT = 9

/**
 * Merge results of the local forge: commits made in objects, checked like heads, remembered by
 * their tree in the rows of the checks.
 */
export function createResults({
  git,
  store,
  remote,
  paths,
  gate,
  clock,
  branches,
  config,
  checks,
  runs,
  merging,
  hints,
  pullOf = (number) => requirePull(store, number),
}: Pick<LocalForgeOptions, 'git' | 'store' | 'remote' | 'paths' | 'gate' | 'clock'> & {
  branches: Branches
  config: CheckConfig
  checks: Pick<Checks, 'recover'>
  runs: CheckRuns
  merging: Pick<Merging, 'markLanded'>
  hints: Hints
  /** Of what a merge’s message is made. */
  pullOf?: (number: number) => Promise<MergedPull>
}): MergeResults {
  const makeCommit = createMergeCommit({ git, gate })
  const made = createMemory<MergeCommit>(MADE_KEPT)
  const trees = new Map<Sha, Sha>()

  const treeOf = async (commit: Sha): Promise<Sha> => {
    const known = trees.get(commit)
    if (known !== undefined) return known
    const [alone] = await git.mergeTrees([[commit, commit]])
    if (alone?.kind !== 'clean')
      throw new ExomonadError('INTERNAL', `git finds a conflict of ${commit} with itself.`, {
        sha: commit,
      })
    trees.set(commit, alone.tree)
    return alone.tree
  }

  const latest = async (tree: Sha): Promise<CheckRow | undefined> => {
    const now = await config.results()
    if (now === undefined) return undefined
    return (await store.pulls.checks({ tree })).findLast(
      (row) => row.configHash === now.hash && isEnded(row.status),
    )
  }

  const known: MergeResults['known'] = async (tree) => {
    const row = await latest(tree)
    if (row === undefined) return { state: 'unknown', logTail: '', logUrl: null }
    if (row.status === 'passed') return { state: 'passed', logTail: '', logUrl: row.logPath }
    return { state: 'failed', logTail: await logTail(row.logPath), logUrl: row.logPath }
  }

  const row = (
    facts: Pick<
      CheckRow,
      'pull' | 'kind' | 'head' | 'base' | 'tree' | 'configHash' | 'logPath' | 'status'
    >,
  ) =>
    store.pulls.insertCheck({
      name: CHECK_NAME,
      exitCode: null,
      startedAt: null,
      finishedAt: null,
      ...facts,
    })

  /** What came of these files, as of a check of that pull request. */
  const copy = async (kind: 'pull' | 'result', link: MergeLink, onto: Sha): Promise<void> => {
    const found = await latest(link.tree)
    if (found === undefined) return
    const copied = await row({
      pull: link.number,
      kind,
      head: link.head,
      base: onto,
      tree: link.tree,
      configHash: found.configHash,
      logPath: found.logPath,
      status: 'queued',
    })
    await store.pulls.updateCheck(copied.id, {
      status: found.status,
      exitCode: found.exitCode,
      startedAt: found.startedAt,
      finishedAt: found.finishedAt,
    })
  }

  return {
    treeOf,
    known,
    look: runs.slots.look,
    activity: runs.activity,
    required: async () =>
      (await config.results()) !== undefined && (await config.distrust()) === null,
    parallel: async () => (await config.results())?.settings.parallel ?? 1,

    typicalDuration: async () => {
      const ended = await store.pulls.checks({
        statuses: ['passed', 'failed'],
        last: RUNS_LOOKED_AT,
      })
      const durations = ended.flatMap(({ startedAt, finishedAt }) =>
        startedAt === null || finishedAt === null ? [] : [finishedAt - startedAt],
      )
      return durations.toSorted((a, b) => a - b)[Math.floor(durations.length / 2)] ?? 0
    },

    build: async (onto, merges) => {
      const links: MergeLink[] = []
      const conflicts: MergeChain['conflicts'][number][] = []
      let tip = onto
      for (const { number, head, strategy, unfiled } of merges) {
        const pull =
          unfiled === undefined
            ? await pullOf(number)
            : { number, headBranch: unfiled, title: unfiled, body: '' }
        if (unfiled === undefined) await branches.bringIn([{ branch: pull.headBranch, sha: head }])
        // The same merge is the same commit: what was checked ahead is what lands.
        const commit = await made([strategy, tip, head, number, pull.title, pull.body], () =>
          makeCommit(strategy, { pull, base: tip, head, message: undefined }),
        )
        if (commit.kind === 'conflict') conflicts.push({ number, files: commit.files })
        // What the base has by now lands as it is.
        else if (
          commit.tree === (links.at(-1)?.tree ?? (await treeOf(onto))) &&
          (await git.isAncestor(head, tip))
        ) {
          links.push({ number, head, sha: tip, tree: commit.tree })
        } else {
          tip = commit.sha
          links.push({ number, head, sha: commit.sha, tree: commit.tree })
        }
      }
      return { onto, links, conflicts }
    },

    tip: async (base) => {
      const sha = (await branches.tips([base])).get(base) ?? null
      if (sha !== null) await branches.bringIn([{ branch: base, sha }])
      return sha
    },

    failedOn: async (number, head) => {
      const rows = await store.pulls.checks({
        pull: number,
        head,
        statuses: ['failed', 'timed_out'],
      })
      return rows.findLast(({ kind }) => kind === 'pull')?.base ?? null
    },

    passedOn: async (number) => {
      const rows = await store.pulls.checks({ pull: number, statuses: ['passed'] })
      return rows.findLast(({ kind }) => kind === 'pull')?.base ?? null
    },

    slot: async ({ front = false, idle = false, ready = () => true }) => {
      await checks.recover()
      const first = await config.results()
      const release = await runs.slots.take({
        parallel: first?.settings.parallel ?? 1,
        front,
        idle,
        ready,
      })
      if (release === null) return null
      return {
        release,
        check: async ({ sha, tree, label, kind, again = false }) => {
          const before = await known(tree)
          if (!again && before.state !== 'unknown') return { ...before, status: before.state }
          const now = await config.results()
          // It may have changed since the place was asked for.
          const reason = await config.distrust()
          if (reason !== null) throw new ExomonadError('UNTRUSTED_CONFIG', reason)
          if (now === undefined) return { status: 'unchecked', logTail: '', logUrl: null }
          const logPath = join(paths.ciLogs, `${label}-${tree.slice(0, 12)}-${clock()}.log`)
          const begun = await row({
            pull: null,
            kind,
            head: sha,
            base: null,
            tree,
            configHash: now.hash,
            logPath,
            status: 'queued',
          })
          const { status } = await runs.run(begun, sha, now.settings)
          if (status === 'passed') return { status, logTail: '', logUrl: logPath }
          if (status === 'failed' || status === 'timed_out')
            return { status: 'failed', logTail: await logTail(logPath), logUrl: logPath }
          return { status: 'interrupted', logTail: '', logUrl: logPath }
        },
      }
    },

    blame: (number, link, onto) => copy('result', { ...link, number }, onto),

    waiting: async (base) => {
      const [own, results] = [await config.settings(), await config.results()]
      if (own === undefined || own.hash !== results?.hash) return []
      return runs.waiting(base).map(({ row: { head }, pull: { number } }) => ({ number, head }))
    },

    defer: runs.defer,

    count: async (link, onto) => {
      await copy('pull', link, onto)
      const pull = await requirePull(store, link.number)
      for (const job of runs.waiting(pull.baseBranch))
        if (job.pull.number === link.number && job.row.head === link.head)
          await runs.cancel(job.row)
      hints.emit(link.number)
    },

    log: async (tree) => {
      const found = await latest(tree)
      if (found === undefined) return null
      return {
        status: found.status,
        path: found.logPath,
        text: await wholeLog(found.logPath),
      }
    },

    land: async (base, chain, by) => {
      const last = chain.links.at(-1)
      if (last === undefined) return 'landed'
      const numbers = chain.links.map(({ number }) => number)
      return merging.markLanded(numbers, async () => {
        const pulls: PullRow[] = []
        for (const number of numbers) pulls.push(await requirePull(store, number))
        // One was closed or pointed elsewhere a moment ago: the others are another chain.
        if (pulls.some(({ state, baseBranch }) => state !== 'open' || baseBranch !== base))
          return 'base_moved'
        if (last.sha !== chain.onto) {
          const pushed = await git.push(remote, {
            sha: last.sha,
            branch: base,
            expected: chain.onto,
          })
          if (pushed.kind === 'rejected') {
            if ((await git.remoteTip(remote, base)) !== chain.onto) return 'base_moved'
            throw new ExomonadError(
              'GIT_FAILED',
              `${remote} refused what was to land on ${base}: ${pushed.reason}`,
              { base },
            )
          }
        }
        return chain.links.map(({ sha, head }, at) => ({
          ...{ pull: pulls[at]!, sha, head },
          by: by.get(numbers[at]!) ?? 'daemon',
        }))
      })
    },

    mergedAs: async (base, commits) => {
      const wanted = new Set<string>(commits)
      const merged = (await store.pulls.list({ state: 'merged', baseBranch: base })).filter(
        ({ mergeSha }) => mergeSha !== null && wanted.has(mergeSha),
      )
      return new Map(
        merged.map(({ mergeSha, number, title }) => [mergeSha as Sha, { number, title }]),
      )
    },
  }
}
