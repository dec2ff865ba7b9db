import type { Actor, BranchName } from '../../../../domain/ids.ts'
import { actorName } from '../../actor-name.ts'
import type { Branches } from '../../branches.ts'
import type { Forge } from '../../forge.ts'
import type { Hints } from '../../hints.ts'
import type { ScheduledMerges } from '../../scheduled.ts'
import type { GithubClient } from '../client/client.ts'
import type { LandedPulls } from '../landed-pulls.ts'
import type { GithubForgeOptions } from '../options.ts'
import type { MarkSigner } from '../../mark-key.ts'
import type { createConflicts } from '../../conflicts.ts'
import { createBasePush } from './base-push.ts'
import { createChange } from './change.ts'
import { createReviewRequests } from './copilot.ts'
import { createFile, type LeftPull } from './file.ts'
import { createMerging } from './merge.ts'
import { createPause } from '../../network/pause.ts'
import { createReply } from './reply.ts'
import { createRerun } from './rerun.ts'
import { createReview } from './review.ts'
import { createScheduling } from './schedule.ts'
import { createWays } from './ways.ts'

export type Writing = Pick<
  Forge,
  | 'file'
  | 'mergeWays'
  | 'merge'
  | 'settleMerge'
  | 'retarget'
  | 'close'
  | 'review'
  | 'reply'
  | 'requestReview'
  | 'ensureChecks'
  | 'rerunChecks'
  | 'pushes'
> &
  Pick<ScheduledMerges, 'cancel'>

/**
 * All that changes something on GitHub. What was changed is hinted, so that it is looked at soon.
 */
export function createWriting(
  options: GithubForgeOptions & {
    client: GithubClient
    hints: Hints
    signer: () => Promise<MarkSigner>
    find: Forge['find']
    conflicts: ReturnType<typeof createConflicts>
    branches: Branches
    landed: LandedPulls
  },
): Writing {
  const {
    client,
    repository,
    store,
    git,
    remote,
    gate,
    clock,
    find,
    conflicts,
    hints,
    signer,
    log,
  } = options
  const pause = createPause(options.retryDelay)
  const changed = hints.emit
  const nameOf = (actor: Actor): Promise<string> => actorName(store, actor)
  const { cancel, ...scheduling } = createScheduling({ repository, client, gate, pause, changed })
  const { pushes, settlePushed } = createBasePush({ ...options, pause })
  const left = new Map<number, LeftPull>()
  const file = createFile({
    repository,
    client,
    find,
    pause,
    left: (filed) => left.set(filed.pull.number, filed),
  })
  const filedJustNow = (number: number): LeftPull | undefined => {
    const filed = left.get(number)
    left.delete(number)
    return filed
  }
  return {
    async file(wanted) {
      const result = await file(wanted)
      if (result.kind === 'filed') changed(result.number)
      return result
    },
    ...createMerging({
      client,
      gate,
      pause,
      conflictFiles: conflicts,
      baseTip: (branch: BranchName) => git.remoteTip(remote, branch),
      merged: changed,
      scheduling,
      settlePushed,
    }),
    cancel,
    pushes,
    ...createWays({ client, repository, log }),
    ...createChange({ repository, client, changed }),
    ...createReview({ repository, client, clock, nameOf, signer, changed }),
    ...createReply({ repository, client, nameOf, signer, changed }),
    ...createReviewRequests({ ...options, client, find, filed: filedJustNow }),
    ...createRerun({ repository, client, changed }),
  }
}
