import { ExomonadError } from '../../../errors.ts'
import type { PullRow } from '../../store/store.ts'
import { createBranches } from '../branches.ts'
import { createChecks } from './checks.ts'
import { createHints } from '../hints.ts'
import { createMerging } from './merge.ts'
import type { LocalForge, LocalForgeOptions } from './options.ts'
import { createPulls } from './pulls.ts'
import { createReviews } from './reviews.ts'
import { createSnapshots } from './snapshot.ts'
import { requirePull } from './urls.ts'

/** The forge without account and network: pull requests, reviews and checks are rows of the store, code lives in a git remote. */
export function createLocalForge(options: LocalForgeOptions): LocalForge {
  const { git, store, remote, log } = options
  const hints = createHints(log)
  const branches = createBranches({ git, remote })
  const checks = createChecks({ ...options, branches, hints })
  const ended = async (pull: PullRow): Promise<void> => {
    await checks.cancel(pull)
    hints.emit(pull.number)
  }
  const merging = createMerging({ ...options, branches, ended })
  const snapshots = createSnapshots({ ...options, branches, checks, merging, ended })

  return Object.freeze({
    kind: 'local' as const,
    remote,
    identity: async () => options.repository,
    budget: () => null,
    ...createPulls({ ...options, branches, hints, ended }),
    ...createReviews({ ...options, hints }),
    snapshots,
    merge: merging.merge,
    settleMerge: merging.settleMerge,

    async ensureChecks(number: number) {
      const pull = await requirePull(store, number)
      if (pull.state !== 'open') return
      const head = (await git.remoteTip(remote, pull.headBranch)) ?? pull.headSha
      await checks.ensure(pull, head)
    },
    async rerunChecks(number: number) {
      const pull = await requirePull(store, number)
      if (pull.state !== 'open') throw new ExomonadError('PR_NOT_MERGEABLE', `#${number} is ${pull.state}: its checks are not run any more.`, { number })
      return checks.rerun(pull, (await git.remoteTip(remote, pull.headBranch)) ?? pull.headSha)
    },
    async resumeChecks() {
      await checks.recover()
      for (const pull of await store.pulls.list({ state: 'open' })) await checks.ensure(pull, pull.headSha)
    },
    checkLog: async (number: number, name: string) => checks.log(await requirePull(store, number), name),
    onHint: hints.subscribe,
    dispose: checks.dispose,
  })
}
