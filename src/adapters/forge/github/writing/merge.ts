import { ExomonadError } from '../../../../domain/errors.ts'
import type { TextGate } from '../../../../sanitize/text-gate.ts'
import type { BranchName, Sha } from '../../../../domain/ids.ts'
import type { Forge, PullRequestSnapshot } from '../../forge.ts'
import { goesElsewhere, type MergeResult, type SettlePushed } from '../../merging.ts'
import { settleByLook } from '../../settle-merge.ts'
import { createSerial } from '../../serial.ts'
import type { GithubClient, RestAnswer } from '../client/client.ts'
import { isMergeQueue } from '../reading/scheduled.ts'
import { isSame } from '../reading/trusted.ts'
import { mergeMessage } from './merge-message.ts'
import type { Pause } from '../../network/pause.ts'
import { lookAt, PULL, stateOf, type RawPull } from './pull.ts'
import { isLost, refusalIn } from './refusal.ts'
import type { Scheduling } from './schedule.ts'

/**
 * How often a base that moves, or a mergeability that is not known, is tried: for about a quarter
 * of a minute.
 */
const TRIES = 5
/** How often a merge whose answer was lost is looked for. */
const LOOKS = 3
const UNDER_WAY = /merge already in progress/i
const MERGE_QUEUE = /through the merge queue/i

type MergeOptions = Parameters<Forge['merge']>[0]
/** Where a conflict is, as far as git here can determine it. */
type ConflictFiles = (
  ends: Pick<PullRequestSnapshot, 'head' | 'base'>,
) => Promise<readonly string[]>

/**
 * Merges on GitHub, guarded by the head that was looked at. What 405 means is only known from the
 * pull request itself; whether a merge whose answer was lost has happened, as well.
 */
export function createMerging({
  client,
  gate,
  pause,
  conflictFiles,
  baseTip,
  merged,
  scheduling,
  settlePushed,
}: {
  client: Pick<GithubClient, 'rest' | 'pages' | 'viewer'>
  gate: Pick<TextGate, 'text'>
  pause: Pause
  conflictFiles: ConflictFiles
  /** Where the base is by now, for looking for conflicts. */
  baseTip: (branch: BranchName) => Promise<Sha | null>
  merged: (number: number) => void
  scheduling: Pick<Scheduling, 'schedule' | 'look'>
  settlePushed: SettlePushed
}): Pick<Forge, 'merge' | 'settleMerge'> {
  /** In one process merges wait for each other instead of moving each other’s bases. */
  const oneAtATime = createSerial()

  const mergedAs = (pull: RawPull): MergeResult => {
    const head = pull.head.sha as Sha
    // GitHub always names the commit; a head that was pushed to the base by hand is its own.
    return { kind: 'merged', sha: (pull.merge_commit_sha ?? head) as Sha, head }
  }

  /**
   * Somebody with another account has merged it; with the same one that can’t be determined. A
   * queue merges for whoever asked it to.
   */
  const isOthers = async ({ merged_by: by }: RawPull): Promise<boolean> =>
    by != null && !isMergeQueue(by.login) && !isSame(by.login, await client.viewer())

  /**
   * `words`: what GitHub had against it last. A merge under way, whose answer was lost, is the one
   * that was asked for.
   */
  const inTheWay = async (
    pull: RawPull,
    { expectedHead, expectedBase }: MergeOptions,
    words: string,
  ): Promise<MergeResult | undefined> => {
    const state = stateOf(pull)
    if (
      state === 'merged' &&
      UNDER_WAY.test(words) &&
      pull.head.sha === expectedHead &&
      !(await isOthers(pull))
    ) {
      merged(pull.number)
      return mergedAs(pull)
    }
    if (state !== 'open') return { kind: 'not_open', state }
    if (pull.base.ref !== expectedBase) return goesElsewhere(pull.base.ref)
    return pull.head.sha === expectedHead
      ? undefined
      : { kind: 'head_changed', head: pull.head.sha as Sha }
  }

  /**
   * After a refusal: what the pull request itself says. `again`: what stood in the way is gone, or
   * not known yet.
   */
  const explain = async (options: MergeOptions, words: string): Promise<MergeResult | 'again'> => {
    const { number, expectedHead } = options
    const pull = await lookAt(client, number)
    const found = await inTheWay(pull, options, words)
    if (found !== undefined) return found
    if (pull.mergeable === false) {
      const base = pull.base.ref as BranchName
      const files = await conflictFiles({
        head: { branch: pull.head.ref as BranchName, sha: expectedHead },
        base: { branch: base, sha: await baseTip(base).catch(() => null) },
      })
      return { kind: 'conflict', files }
    }
    // “Not mergeable” is also what is said while GitHub works it out.
    return /base branch was modified|head branch was modified|is not mergeable/i.test(words) ||
      UNDER_WAY.test(words)
      ? 'again'
      : { kind: 'refused', reason: words }
  }

  const confirm = async (
    { number, expectedHead }: MergeOptions,
    lost: ExomonadError,
  ): Promise<MergeResult> => {
    for (let looks = 0; looks < LOOKS; looks++) {
      if (looks > 0) await pause(looks - 1)
      const pull = await lookAt(client, number).catch(() => undefined)
      if (pull?.merged !== true || pull.head.sha !== expectedHead) continue
      return (await isOthers(pull)) ? { kind: 'not_open', state: 'merged' } : mergedAs(pull)
    }
    throw lost
  }

  const send = async (
    options: MergeOptions,
    pull: RawPull,
  ): Promise<MergeResult | { readonly words: string }> => {
    const { number, expectedHead, strategy, message } = options
    const words = await mergeMessage({ client, gate }, pull, strategy, message)
    await options.prepared(null)
    let answer: RestAnswer<{ merged?: boolean; sha?: string }>
    try {
      const merge = { pull_number: number, sha: expectedHead, merge_method: strategy, ...words }
      answer = await client.rest(`PUT ${PULL}/merge`, merge, {
        accept: [405, 409, 422],
        retry: false,
      })
    } catch (error) {
      if (!isLost(error)) throw error
      return confirm(options, error)
    }
    if (answer.status >= 400) return { words: refusalIn(answer).words }
    if (answer.data.merged === true && answer.data.sha !== undefined)
      return { kind: 'merged', sha: answer.data.sha as Sha, head: expectedHead }
    return confirm(
      options,
      new ExomonadError(
        'FORGE_UNAVAILABLE',
        `GitHub did not say whether it merged #${number}. It is looked at again.`,
        { number },
      ),
    )
  }

  const merge = async (options: MergeOptions): Promise<MergeResult> => {
    let words = ''
    let { way = 'now' } = options
    for (let tries = 0; tries < TRIES; tries++) {
      if (tries > 0) await pause(tries - 1)
      const pull = await lookAt(client, options.number)
      const found = await inTheWay(pull, options, words)
      // Just after a push GitHub may still show the head before it.
      if (found?.kind === 'head_changed' && tries === 0) continue
      if (found !== undefined) return found
      const sent =
        way === 'now' ? await send(options, pull) : await scheduling.schedule(options, pull, way)
      if ('kind' in sent) {
        if (sent.kind === 'merged') merged(options.number)
        return sent
      }
      words = sent.words
      // Not known before: the next try is the queue’s.
      if (way === 'now' && MERGE_QUEUE.test(words)) {
        way = 'queue'
        continue
      }
      const explained = await explain(options, words)
      if (explained !== 'again') return explained
    }
    return { kind: 'refused', reason: `${words} (said ${TRIES} times; try again in a minute)` }
  }

  return {
    merge: (options) => oneAtATime(() => merge(options)),

    settleMerge: ({ number, prepared, head, by }) =>
      oneAtATime(() =>
        settleByLook({
          pushed: async () =>
            prepared === null ? null : settlePushed({ number, prepared, head: head ?? null, by }),
          look: () => lookAt(client, number),
          stateOf,
          isOthers,
          mergedAs,
          whileOpen: scheduling.look,
        }),
      ),
  }
}
