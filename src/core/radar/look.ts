import { setTimeout as delay } from 'node:timers/promises'
import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { AgentId, BranchName } from '../../domain/ids.ts'
import type { NoSnapshot } from '../../adapters/git/radar/radar-git.ts'
import type { Deps } from '../deps.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { aloneOf } from './alone.ts'
import { createAnnounce } from './announce.ts'
import { createBaseTips, type BaseTips } from './base-tips.ts'
import type { FirstTouch } from './first-touch.ts'
import { createJudge, sideOf, type Side, type Sides } from './judge.ts'
import { membersOf, pairsOf, type Member, type Pair } from './pairs.ts'
import { NO_PICTURE, type RadarPicture } from './picture.ts'
import { createTakeSnapshots } from './take-snapshots.ts'
import { TOLD_PREFIX } from './told.ts'

/** For how long a look lets others go first. Milliseconds. */
const LONGEST_WAIT = 5_000
const LOOK_AGAIN = 50
/** Objects that are broken in the repository itself don’t get better. Milliseconds. */
const RENEWED_AT_MOST_EVERY = 600_000

export type LookDeps = Pick<
  Deps,
  'store' | 'git' | 'forge' | 'publisher' | 'gate' | 'clock' | 'log' | 'onJournalStep'
> & { firstTouch: FirstTouch }

export interface LookOptions {
  /** What was known before. */
  readonly picture: RadarPicture
  /** Who is looked at, beside those who never were. */
  readonly wanted: ReadonlySet<AgentId> | 'all'
  /** Somebody waits for it: nobody is left out, and nobody goes first. */
  readonly urgent: boolean
  /** `[radar] enabled`. */
  readonly enabled: boolean
  readonly isStopped: () => boolean
  /** Somebody waits for it by now. */
  readonly isAsked: () => boolean
}

/**
 * One look at the work of all agents, and what there is to be told of it. Resolves to what is known
 * now, undefined where it was ended before that.
 */
export function createLook(
  deps: LookDeps,
): (options: LookOptions) => Promise<RadarPicture | undefined> {
  const { store, git, clock, log, firstTouch } = deps
  const judge = createJudge(deps)
  const announce = createAnnounce(deps)
  const baseTips = createBaseTips(deps)
  const takeSnapshots = createTakeSnapshots(deps)
  let renewedAt = -Infinity

  const noteTouched = async (
    pairs: readonly Pair[],
    snapshots: RadarPicture['snapshots'],
    before: RadarPicture['snapshots'],
    sides: Sides,
    at: number,
  ): Promise<void> => {
    for (const pair of pairs) {
      if (pair.b !== null || snapshots.get(pair.a.id) === before.get(pair.a.id)) continue
      const [a, b] = sides(pair)
      if (!('commit' in a && 'commit' in b)) continue
      const touched = judge.touchedSince(judge.mergeBases()(a.head, b.head), a)
      if (touched !== undefined)
        await firstTouch.note(
          pair.a.id,
          touched.map(({ path }) => path),
          at,
        )
    }
  }

  /** False where that was done just now, and was of no use. */
  const renew = async (): Promise<boolean> => {
    if (performance.now() - renewedAt < RENEWED_AT_MOST_EVERY) return false
    renewedAt = performance.now()
    log.warn('snapshots of worktrees can’t be read; all of them are taken anew')
    await git.forgetSnapshots()
    return true
  }

  /** What agents and people wait for goes first, but for a look that is waited for itself. */
  const letOthersGoFirst = async (
    { isStopped, isAsked }: LookOptions,
    until: number,
  ): Promise<void> => {
    const isUnderWay = async () =>
      (await store.journal.open()).some(({ kind }) => kind === 'spawn' || kind === 'merge')
    while (!isStopped() && !isAsked() && performance.now() < until && (await isUnderWay()))
      await delay(LOOK_AGAIN)
  }

  interface Found extends Pick<RadarPicture, 'pairs' | 'snapshots' | 'verdicts'> {
    readonly sides: Sides
  }

  /** Undefined where it is not to go on. */
  const judgeAll = async (
    members: readonly Member[],
    given: {
      readonly options: LookOptions
      readonly tips: BaseTips
      readonly alone: ReadonlySet<AgentId>
      readonly isDue: (member: Member) => boolean
      readonly pulls: readonly PullRequestSnapshot[]
      readonly until: number
    },
  ): Promise<Found | undefined> => {
    const { options, tips, alone, isDue, pulls, until } = given
    const { picture, isStopped } = options
    // What was known of who is left out now may be long past.
    const before = new Map([...picture.snapshots].filter(([id]) => !alone.has(id)))
    const snapshots = await takeSnapshots(members, before, {
      isDue,
      goOn: async () => {
        await letOthersGoFirst(options, until)
        return !isStopped()
      },
    })
    if (isStopped()) return undefined
    deps.onJournalStep('radar', 'taken')
    // What was merged, and has nothing new, is judged with the base.
    const isOver = ({ id, branch }: Member): boolean => {
      const found = snapshots.get(id)
      return (
        found?.kind === 'taken' &&
        found.commit === found.head &&
        pulls.some((pull) => pull.head.branch === branch && pull.mergedHead === found.head)
      )
    }
    const pairs = pairsOf(members.filter((member) => !isOver(member)))
    const bases = new Map<BranchName, Side | NoSnapshot>()
    for (const { a, base } of pairs)
      if (base !== null && !bases.has(base) && snapshots.has(a.id))
        bases.set(base, await baseTips.sideOf(tips.get(base)))
    const sides: Sides = ({ a, b, base }) => [
      sideOf(snapshots.get(a.id)),
      b === null ? sideOf(bases.get(base!)) : sideOf(snapshots.get(b.id)),
    ]
    await letOthersGoFirst(options, until)
    try {
      const verdicts = await judge.judge(pairs, sides, picture.verdicts)
      const isUnreadable =
        [...verdicts.values()].some((one) => one.unreadable === true) ||
        [...snapshots.values()].some((one) => one.kind === 'unknown' && one.unreadable === true)
      if (!isUnreadable || !(await renew())) return { pairs, sides, snapshots, verdicts }
    } catch (thrown) {
      if (!git.isUnreadable(thrown) || !(await renew())) throw thrown
    }
    return judgeAll(members, { ...given, isDue: () => true })
  }

  const toldOf = async (): Promise<Set<AgentId>> =>
    new Set(
      [...(await store.snapshots.list(TOLD_PREFIX)).keys()].flatMap(
        (key) => key.slice(TOLD_PREFIX.length).split(':') as AgentId[],
      ),
    )

  return async (options) => {
    const { picture, urgent } = options
    const at = clock()
    const agents = await store.agents.list()
    const owners = agents.flatMap(({ id, cleanedAt }) => (cleanedAt === null ? id : []))
    await firstTouch.keepOnly(new Set(options.enabled ? owners : []))
    if (!options.enabled) {
      await git.forgetSnapshots()
      return { ...NO_PICTURE, at, enabled: false }
    }
    const until = urgent ? 0 : performance.now() + LONGEST_WAIT
    const pulls = await knownPulls(store)
    const filed = new Set(pulls.flatMap((pull) => (pull.state === 'open' ? pull.head.branch : [])))
    const members = membersOf(agents, filed)
    const tips = await baseTips.read(members)
    const alone = urgent
      ? new Set<AgentId>()
      : aloneOf(members, { agents, tips, told: await toldOf() })
    const wanted = (await git.tidySnapshots()) ? 'all' : options.wanted
    const isDue = ({ id }: Member): boolean =>
      !alone.has(id) && (wanted === 'all' || wanted.has(id) || !picture.snapshots.has(id))
    const found = await judgeAll(members, { options, tips, alone, isDue, pulls, until })
    if (found === undefined) return undefined
    const { pairs, sides, snapshots, verdicts } = found
    await noteTouched(pairs, snapshots, picture.snapshots, sides, at)
    const now: RadarPicture = { pairs, verdicts, snapshots, at, enabled: true }
    if (!options.isStopped()) await announce(now, filed)
    return now
  }
}
