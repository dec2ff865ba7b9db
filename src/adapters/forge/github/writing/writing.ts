import type { Actor, BranchName } from '../../../../ids.ts'
import { actorName } from '../../actor-name.ts'
import type { Forge } from '../../forge.ts'
import type { Hints } from '../../hints.ts'
import type { ScheduledMerges } from '../../scheduled.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubForgeOptions } from '../options.ts'
import type { createConflicts } from '../reading/conflicts.ts'
import { createChange } from './change.ts'
import { createReviewRequests } from './copilot.ts'
import { createFile } from './file.ts'
import { createMerging } from './merge.ts'
import { createPause } from './pause.ts'
import { createReply } from './reply.ts'
import { createRerun } from './rerun.ts'
import { createReview } from './review.ts'
import { createScheduling } from './schedule.ts'
import { createWays } from './ways.ts'

export type Writing = Pick<
  Forge,
  'file' | 'mergeWays' | 'merge' | 'settleMerge' | 'retarget' | 'close' | 'review' | 'reply' | 'requestReview' | 'ensureChecks' | 'rerunChecks'
> &
  Pick<ScheduledMerges, 'cancel'>

/** All that changes something on GitHub. What was changed is hinted, so that it is looked at soon. */
export function createWriting(
  options: GithubForgeOptions & { client: GithubClient; hints: Hints; find: Forge['find']; conflicts: ReturnType<typeof createConflicts> },
): Writing {
  const { client, repository, store, git, remote, gate, clock, settings, find, conflicts, hints, log } = options
  const pause = createPause(options.retryDelay)
  const changed = hints.emit
  const nameOf = (actor: Actor): Promise<string> => actorName(store, actor)
  const { cancel, ...scheduling } = createScheduling({ repository, client, gate, pause, changed })
  const file = createFile({ repository, client, find, pause })
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
    }),
    cancel,
    ...createWays({ client, repository, log }),
    ...createChange({ repository, client, changed }),
    ...createReview({ repository, client, clock, nameOf, changed }),
    ...createReply({ repository, client, nameOf, changed }),
    ...createReviewRequests({ client, settings, find }),
    ...createRerun({ repository, client, changed }),
  }
}
