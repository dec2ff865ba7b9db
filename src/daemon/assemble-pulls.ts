import type { Forge } from '../adapters/forge/forge.ts'
import { guardForge } from '../adapters/forge/guarded.ts'
import { createMergeFollowUp } from '../core/pulls/merge/follow-up.ts'
import type { Deps } from '../core/deps.ts'
import { createPoller, type Poller, type PollerDeps } from '../pull-watch/poller.ts'
import { chooseForge, type ChooseForgeOptions } from './forge/choose-forge.ts'
import type { Releaser } from './releaser.ts'

export interface AssembledPulls {
  /** Behind the text gate. */
  readonly forge: Forge
  readonly poller: Poller
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
  return { forge, poller: createPoller({ ...deps, forge, followUp }), resume }
}
