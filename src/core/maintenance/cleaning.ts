import { createClean } from './clean.ts'
import { createBeginClean, createSettleClean } from './clean-journal.ts'
import { createForgetBranches } from './forget-branches.ts'
import { createRecordRemoved } from './record-removed.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import type { Deps } from '../deps.ts'

type Parts = Omit<Parameters<typeof createClean>[0], 'begin' | 'forgetBranches' | 'recordRemoved'> &
  Pick<Deps, 'publisher' | 'clock' | 'log' | 'onJournalStep'>

/** Taking away what is merged, and finishing that where a crash or a failure cut it off. */
export function createCleaning(deps: Parts): {
  clean: Maintenance['clean']
  settleClean: ReturnType<typeof createSettleClean>
  /** Journals of cleans of this process that failed, and are to be settled. */
  failedCleans: ReadonlySet<string>
} {
  const stuck = new Set<string>()
  const shared = {
    ...deps,
    forgetBranches: createForgetBranches(deps),
    recordRemoved: createRecordRemoved(deps),
  }
  const clean = createClean({ ...shared, begin: createBeginClean({ ...deps, stuck }) })
  const settleClean = createSettleClean({ ...shared, clean, stuck })
  return { clean, settleClean, failedCleans: stuck }
}
