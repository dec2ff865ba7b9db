import type { Forge } from '../adapters/forge/forge.ts'
import { guardForge } from '../adapters/forge/guarded.ts'
import { createForetelling } from '../adapters/forge/local/foretelling.ts'
import type { MergeResults } from '../adapters/forge/merge-results.ts'
import { knownPulls } from '../core/pulls/pull-records.ts'
import { createMergeFollowUp } from '../core/pulls/merge/follow-up.ts'
import type { Deps } from '../core/deps.ts'
import { createPoller, type Poller, type PollerDeps } from '../pull-watch/poller.ts'
import { checkOptions } from './forge/check-options.ts'
import { chooseForge, type ChooseForgeOptions } from './forge/choose-forge.ts'
import type { Releaser } from './releaser.ts'

export interface AssembledPulls {
  /** Behind the text gate. */
  readonly forge: Forge
  readonly poller: Poller
  /** The forge’s own, or what is found here ahead of one that has checks of its own. */
  readonly landResults: MergeResults
  /** Settles what a crash cut off, once everything else stands. */
  resume(): Promise<void>
}

/** The forge that is configured, and what follows its pull requests; nothing is read yet. */
export async function assemblePulls(
  deps: ChooseForgeOptions &
    Pick<PollerDeps, 'publisher'> &
    Pick<Deps, 'onJournalStep'> & { readonly release: Releaser },
): Promise<AssembledPulls> {
  const { forge: ungated, resume } = await chooseForge(deps)
  const forge = guardForge(ungated, deps.gate)
  deps.release.add('forge', () => forge.dispose())
  const followUp = createMergeFollowUp({ ...deps, forge })
  return {
    forge,
    poller: createPoller({ ...deps, forge, followUp }),
    landResults: forge.results ?? (await foretell(deps, forge)),
    resume,
  }
}

async function foretell(
  deps: ChooseForgeOptions & { readonly release: Releaser },
  forge: Forge,
): Promise<MergeResults> {
  const { results, dispose } = createForetelling({
    ...(await checkOptions(deps)),
    ...deps,
    remote: forge.remote,
    pushes: forge.pushes,
    known: () => knownPulls(deps.store),
    pullOf: async (number) => {
      const known = (await knownPulls(deps.store)).find((one) => one.number === number)
      if (known !== undefined) return known
      // Nobody’s here, and asked to be merged.
      const [read] = await forge.snapshots([number])
      return read !== undefined && 'snapshot' in read ? read.snapshot : undefined
    },
  })
  deps.release.add('checks of what merges come to', dispose)
  return results
}
