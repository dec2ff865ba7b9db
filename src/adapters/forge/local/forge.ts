import { ExomonadError } from '../../../domain/errors.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import { createBranches } from '../branches.ts'
import { ANY_WAY } from '../merging.ts'
import { createHints } from '../hints.ts'
import { createCheckConfig } from './check-config.ts'
import { createCheckRuns } from './check-runs.ts'
import { createChecks, type CheckedHead } from './checks.ts'
import { createMerging } from './merge.ts'
import { createMergeFacts } from './merge-facts.ts'
import type { LocalForge, LocalForgeOptions } from './options.ts'
import { createPulls } from './pulls.ts'
import { createResults } from './results.ts'
import { createReviews } from './reviews.ts'
import { createSnapshots } from './snapshot.ts'
import { requirePull } from './urls.ts'

/**
 * The forge without account and network: pull requests, reviews and checks are rows of the store,
 * code lives in a git remote.
 */
export function createLocalForge(options: LocalForgeOptions): LocalForge {
  const { git, store, remote, log } = options
  const hints = createHints(log)
  const branches = createBranches({ git, remote })
  const config = createCheckConfig(options)
  const runs = createCheckRuns({ ...options, branches, hints })
  const checks = createChecks({ ...options, config, runs })
  const ended = async (pull: PullRow): Promise<void> => {
    await checks.cancel(pull)
    hints.emit(pull.number)
  }
  const mergeFacts = createMergeFacts(git)
  const merging = createMerging({ ...options, branches, mergeFacts, ended })
  const snapshots = createSnapshots({ ...options, branches, checks, merging, mergeFacts, ended })

  /** As the remote says now. */
  const present = async (pull: PullRow): Promise<CheckedHead> => {
    const tips = await branches.tips([pull.headBranch, pull.baseBranch])
    const head = tips.get(pull.headBranch) ?? pull.headSha
    const base = tips.get(pull.baseBranch) ?? null
    await branches.bringIn([
      { branch: pull.headBranch, sha: head },
      ...(base === null ? [] : [{ branch: pull.baseBranch, sha: base }]),
    ])
    const [facts] = base === null ? [] : await mergeFacts([[base, head]])
    return { pull, head, base, tree: facts?.tree ?? null }
  }

  return Object.freeze({
    kind: 'local' as const,
    remote,
    identity: async () => options.repository,
    budget: () => null,
    // Its results land by pushes of their own.
    pushes: null,
    scheduled: null,
    issues: null,
    results: createResults({ ...options, branches, config, checks, runs, merging, hints }),
    ...createPulls({ ...options, branches, hints, ended }),
    ...createReviews({ ...options, hints }),
    snapshots,
    mergeWays: async () => ANY_WAY,
    merge: merging.merge,
    settleMerge: merging.settleMerge,

    async ensureChecks(number: number) {
      const pull = await requirePull(store, number)
      if (pull.state === 'open') await checks.ensure(pull, await present(pull))
    },
    async rerunChecks(number: number) {
      const pull = await requirePull(store, number)
      if (pull.state !== 'open')
        throw new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${number} is ${pull.state}: its checks are not run any more.`,
          { number },
        )
      return checks.rerun(pull, await present(pull))
    },
    async resumeChecks() {
      await checks.recover()
      for (const pull of await store.pulls.list({ state: 'open' }))
        await checks.ensure(pull, await present(pull))
    },
    checkLog: async (number: number, name: string) =>
      checks.log(await requirePull(store, number), name),
    onHint: hints.subscribe,
    dispose: checks.dispose,
  })
}
