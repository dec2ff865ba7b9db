import { placed, baseMergers } from '../../../domain/base-owner.ts'
import type { Caller } from '../../../domain/caller.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { BranchName } from '../../../domain/ids.ts'
import { isAlive } from '../../../domain/lifecycle.ts'
import type { Deps } from '../../deps.ts'
import { isReady } from '../../pulls/readiness.ts'
import type { Pulls } from '../../pulls/pull-use-cases.ts'
import type { Candidate } from './candidates.ts'

/** Has those land that were approved, in the order of filing. */
export type AutoLand = (base: BranchName, candidates: readonly Candidate[]) => Promise<void>

/**
 * By the right of whoever may merge there, who is notified of it as of what others merge; each head
 * that is refused is tried once. Throws FORGE_UNAVAILABLE where that can’t be asked for now.
 */
export function createAutoLand({
  store,
  merge,
  log,
}: Pick<Deps, 'store' | 'log'> & { merge: Pulls['merge'] }): AutoLand {
  const refused = new Set<string>()

  const callerFor = async (base: BranchName, { owner }: Candidate): Promise<Caller | undefined> => {
    const agents = await store.agents.list()
    const mergers = owner === null ? [] : baseMergers(placed(agents), owner, base)
    const merger = mergers.find(({ state }) => isAlive(state))
    const agent = agents.find(({ id }) => id === merger?.id)
    return agent === undefined ? undefined : { kind: 'agent', agent }
  }

  return async (base, candidates) => {
    const open = await store.journal.open()
    const asked = new Set(
      open.filter(({ kind }) => kind === 'merge').map(({ data }) => data['number']),
    )
    for (const candidate of candidates) {
      const { number, head, pull } = candidate
      const key = `${number}:${head}`
      if (pull === null || pull.reviewDecision !== 'approved' || !isReady(pull)) continue
      if (asked.has(number) || refused.has(key)) continue
      const caller = await callerFor(base, candidate)
      if (caller === undefined) continue
      await merge(caller, { number, head, force: false, wait: false }, { by: 'daemon' }).catch(
        (error: unknown) => {
          // That says nothing about it: it is asked for again.
          if (error instanceof ExomonadError && error.code === 'FORGE_UNAVAILABLE') throw error
          refused.add(key)
          if (!(error instanceof ExomonadError)) throw error
          log.info(
            { number, base, reason: error.message },
            'an approved pull request does not land',
          )
        },
      )
    }
  }
}
