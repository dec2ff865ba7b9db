import type { Forge } from '../../forge.ts'
import { createBranches } from '../../branches.ts'
import type { ScheduledMerges } from '../../scheduled.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import type { MarkSigner } from '../../mark-key.ts'
import type { LandedPulls } from '../landed-pulls.ts'
import type { WriteAccess } from '../write-access.ts'
import { createCancelled } from './cancelled.ts'
import { readCheckLog } from './checks/check-log.ts'
import { type HostedCommit, pullCommit } from '../../network/hosted-commits.ts'
import { readDiff } from './diff.ts'
import { createExpectedChecks } from './checks/expected-checks.ts'
import { findPulls } from './find.ts'
import type { Identity } from '../../identity.ts'
import { createLogEnds } from './checks/log-ends.ts'
import { createPullReader } from './pull-reader.ts'
import { createPullChecks } from './checks/pull-checks.ts'
import { createSnapshots } from './snapshots.ts'

type Reading = Pick<Forge, 'snapshots' | 'find' | 'diff' | 'commits' | 'checkLog' | 'identity'> &
  Pick<ScheduledMerges, 'cancelled'>

/** The half of the GitHub forge that only looks. */
export function createReading(
  options: GithubForgeOptions & {
    readonly client: GithubClient
    readonly mayWrite: WriteAccess
    readonly signer: () => Promise<MarkSigner>
    readonly identity: Identity
    readonly landed: Pick<LandedPulls, 'seen'>
  },
): Reading {
  const { client, git, remote, clock, identity, landed } = options
  const branches = createBranches({ git, remote })
  const reader = createPullReader({ client, clock, identity })
  const logEnds = createLogEnds(options)
  const checksOf = createPullChecks({ ...options, expected: createExpectedChecks(options) })
  const snapshotsOf = createSnapshots({ ...options, branches, logEnds, checksOf })

  return {
    identity: identity.read,
    snapshots: async (numbers) =>
      numbers.length === 0
        ? []
        : Promise.all(
            (await snapshotsOf(numbers, await reader.now([...new Set(numbers)]))).map(landed.seen),
          ),
    cancelled: createCancelled({ client, logEnds }),
    find: (filter) => findPulls(client, filter),
    diff: (number) => readDiff({ client, git, branches }, number),
    commits: async (number) =>
      (
        await client.pages<HostedCommit>('GET /repos/{owner}/{repo}/pulls/{pull_number}/commits', {
          pull_number: number,
        })
      ).map(pullCommit),
    checkLog: (number, name) =>
      readCheckLog({ full: reader.full, checksOf, logEnds }, number, name),
  }
}
