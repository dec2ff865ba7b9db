import type { Forge, PullRequestSnapshot } from '../../../adapters/forge/forge.ts'
import type { MergeScheduled } from '../../../adapters/forge/merging.ts'
import { FORGE_NAMES } from '../../../domain/forge-kinds.ts'
import type { MergeKind } from '../../../adapters/forge/scheduled.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { MergedPull } from '../pull-documents.ts'
import type { Pulls } from '../pull-use-cases.ts'
import type { Deps } from '../../deps.ts'
import { mergeBlockers, type MergeBlocker } from './rules.ts'

type Asked = Pick<Parameters<Pulls['merge']>[1], 'force' | 'whenReady'>

/** Merges that the forge makes by itself: its merge queues, and auto-merge. */
export interface MergeSchedule {
  /**
   * What is said of one that the forge merges by itself already; null where it is to be merged all
   * the same.
   */
  standing(pull: PullRequestSnapshot, asked: Asked): MergedPull | null
  /**
   * How it is to be merged. PR_NOT_MERGEABLE or CHECKS_FAILED with the reasons where it must not
   * be, and can’t be left to the forge.
   */
  wayOf(
    pull: PullRequestSnapshot,
    asked: Asked,
    options: { readonly queue?: true | undefined },
  ): Promise<'now' | MergeKind>
  answer(
    pull: PullRequestSnapshot,
    result: Pick<MergeScheduled, 'how' | 'position'>,
    facts: { followed: string | null; instead: string | null },
  ): MergedPull
}

/** What is said where a merge is to be left to a forge that takes none. */
const NO_AUTO_MERGE: Readonly<Partial<Record<Forge['kind'], string>>> = {
  local:
    'The local forge has no auto-merge (what is asked for once it is ready, and has to be checked again, lands by itself)',
}

const namesOf = (objections: readonly MergeBlocker[]): string =>
  objections.map(({ reason }) => reason).join('; ')

export function createMergeSchedule({
  forge,
  polling,
}: Pick<Deps, 'forge' | 'polling'>): MergeSchedule {
  const name = FORGE_NAMES[forge.kind]

  const words = (
    pull: PullRequestSnapshot,
    { how, position }: Pick<MergeScheduled, 'how' | 'position'>,
    already: boolean,
  ): string => {
    const it = `#${pull.number}`
    if (how === 'queue') {
      const place = position === null ? '' : `, at position ${position}`
      return `${it} is ${already ? 'already ' : ''}in the merge queue of ${pull.base.branch}${place}. ${name} checks it there, together with what is before it, and merges it in its turn: nothing to do until then. You get a message when it is merged, or why it was removed.`
    }
    const objections = mergeBlockers(pull, false)
    const waits = objections.length === 0 ? '' : ` (now: ${namesOf(objections)})`
    return `${it} is ${already ? 'already ' : ''}set to auto-merge: ${name} merges it as soon as nothing stands against it${waits}. Nothing to do until then. You get a message when it is merged, or when auto-merge is turned off: by a person, or because new commits came, which have to be looked at first.`
  }

  const document = (
    pull: PullRequestSnapshot,
    result: Pick<MergeScheduled, 'how' | 'position'>,
    next: string,
  ): MergedPull => ({
    merged: false,
    state: result.how === 'queue' ? 'queued' : 'auto_merge',
    sha: null,
    ...(result.position === null ? {} : { position: result.position }),
    local_synced: false,
    retargeted: [],
    siblings_behind: [],
    next,
  })

  return {
    standing: (pull, { force, whenReady }) => {
      const { scheduled } = pull
      if (scheduled === undefined || pull.state !== 'open') return null
      // Nothing stands against it (any more): it is merged now rather than in a while.
      if (
        scheduled.kind === 'auto' &&
        whenReady !== true &&
        mergeBlockers(pull, force).length === 0
      )
        return null
      const found = {
        how: scheduled.kind,
        position: scheduled.kind === 'queue' ? scheduled.position : null,
      }
      return document(pull, found, words(pull, found, true))
    },

    wayOf: async (pull, { force, whenReady }, { queue }) => {
      const objections = mergeBlockers(pull, force)
      const [first] = objections
      if (first === undefined) return queue === true ? 'queue' : 'now'
      const canWait = whenReady === true && objections.every(({ passes }) => passes)
      if (canWait && forge.scheduled !== null) return 'auto'
      // What made it so may not have been reported yet.
      await polling.poll([pull.number])
      const hint = canWait
        ? ` ${NO_AUTO_MERGE[forge.kind] ?? 'exomonad leaves no merges to this forge'}: merge it when a message says that it is ready.`
        : ''
      const message = `#${pull.number} can’t be merged${whenReady === true && !canWait ? ', now or later' : ''}: ${namesOf(objections)}.${hint}`
      throw new ExomonadError(first.code, message, {
        reasons: objections.map(({ reason }) => reason),
      })
    },

    answer: (pull, result, { followed, instead }) => ({
      ...document(
        pull,
        result,
        [...(instead === null ? [] : [instead]), words(pull, result, false)].join(' '),
      ),
      ...(followed === null ? {} : { rebased_from: followed }),
    }),
  }
}

/**
 * The error of one that was to be merged once it is ready, where the forge would merge it now and
 * exomonad would not.
 */
export function nothingToWaitFor(forge: Pick<Forge, 'kind'>, thrown: unknown): unknown {
  if (
    !(thrown instanceof ExomonadError) ||
    (thrown.code !== 'PR_NOT_MERGEABLE' && thrown.code !== 'CHECKS_FAILED')
  )
    return thrown
  const name = FORGE_NAMES[forge.kind]
  const why = `${name} would merge it now, as nothing of that is required there, so that auto-merge has nothing to wait for. Merge it when a message says that it is ready, or have the checks required.`
  return new ExomonadError(thrown.code, `${thrown.message} ${why}`, thrown.facts)
}
