import { setTimeout as delay } from 'node:timers/promises'
import type { NoSnapshot, WorktreeSnapshot } from '../../adapters/git/radar/radar-git.ts'
import type { Config } from '../../config/schema.ts'
import type { AgentId, BranchName } from '../../domain/ids.ts'
import type { StoredEvent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import { knownPulls } from '../pulls/pull-records.ts'
import { createAnnounce } from './announce.ts'
import type { FirstTouch } from './first-touch.ts'
import { createJudge, sideOf, type Side, type Sides } from './judge.ts'
import type { RadarPicture } from './picture.ts'
import { membersOf, pairsOf, type Member, type Pair } from './pairs.ts'

/** Whether the work of agents would merge as it stands in their worktrees, committed or not. */
export interface Radar {
  start(): void
  /** Ends what is under way. */
  stop(): Promise<void>
  /** Looks at all of them, and returns what came of it. */
  look(): Promise<RadarPicture>
}

/** For how long a look lets others go first. Milliseconds. */
const LONGEST_WAIT = 5_000
const LOOK_AGAIN = 50
/** Of one processor, in looks that nobody asked for: in a large repository they become rarer. */
const SHARE = 0.05
/** After these the picture may be another one. */
const NEWS: ReadonlySet<string> = new Set([
  'agent.removed',
  'agent.spawned',
  'base.moved',
  'pr.closed',
  'pr.merged',
  'pr.pushed',
])
const NO_PICTURE: RadarPicture = {
  ...{ pairs: [], verdicts: new Map(), snapshots: new Map(), at: null, enabled: true },
}

export function createRadar(
  deps: Pick<
    Deps,
    | 'store'
    | 'git'
    | 'forge'
    | 'settings'
    | 'publisher'
    | 'gate'
    | 'clock'
    | 'log'
    | 'onJournalStep'
  > & { firstTouch: FirstTouch },
): Radar {
  const { store, git, forge, settings, publisher, clock, log, firstTouch } = deps
  const judge = createJudge(deps)
  const announce = createAnnounce(deps)
  let picture = NO_PICTURE
  let kept: Map<string, string> | undefined
  /** Who is looked at next. */
  let due: Set<AgentId> | 'all' = 'all'
  let isAsked = false
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = true

  /** What agents and people wait for goes first, but for a look that is waited for itself. */
  const letOthersGoFirst = async (until: number): Promise<void> => {
    const isUnderWay = async () =>
      (await store.journal.open()).some(({ kind }) => kind === 'spawn' || kind === 'merge')
    while (!stopped && !isAsked && performance.now() < until && (await isUnderWay()))
      await delay(LOOK_AGAIN)
  }

  /** Where the work of an agent will go: as its owner has it, where the forge knows of less. */
  const tipOf = async (branch: BranchName): Promise<Side | NoSnapshot> => {
    const [here, there] = await Promise.all([
      git.resolve(`refs/heads/${branch}`),
      git.resolve(`refs/remotes/${forge.remote}/${branch}`),
    ])
    const tip =
      here !== null && (there === null || there === here || (await git.isAncestor(there, here)))
        ? here
        : there
    if (tip === null) return { kind: 'unknown', why: 'there is no such branch' }
    // Only merged, never compared as a tree before its own is known.
    return { commit: tip, head: tip, tree: (await treesOf(tip)) ?? tip }
  }
  const trees = new Map<string, Side['tree']>()
  const treesOf = async (commit: Side['commit']): Promise<Side['tree'] | undefined> => {
    if (!trees.has(commit))
      for (const [of, tree] of await git.treesOf([commit])) trees.set(of, tree)
    return trees.get(commit)
  }

  const snapshotsOf = async (
    members: readonly Member[],
    wanted: ReadonlySet<AgentId> | 'all',
    until: number,
  ): Promise<Map<AgentId, WorktreeSnapshot | NoSnapshot>> => {
    const found = new Map<AgentId, WorktreeSnapshot | NoSnapshot>()
    for (const { id, name, worktree } of members) {
      const before = picture.snapshots.get(id)
      const isDue = before === undefined || wanted === 'all' || wanted.has(id)
      if (stopped) break
      if (!isDue) {
        found.set(id, before)
        continue
      }
      await letOthersGoFirst(until)
      const last = before?.kind === 'taken' ? before : undefined
      const taken = await git.snapshotWorktree(worktree, last).catch((thrown: unknown) => {
        log.info({ err: thrown, agent: id }, 'a worktree could not be looked at; it is tried again')
        return { kind: 'unknown' as const, why: `its worktree can’t be read` }
      })
      if (taken.kind === 'taken' && taken.skipped.length > 0 && last?.mark !== taken.mark)
        log.info(
          { agent: id, name, files: taken.skipped },
          'files over 50 MB, and those over 1 MB that were just written, are not looked at',
        )
      found.set(id, taken)
    }
    return found
  }

  /** One that could not be taken leaves the one before; of who is taken away nothing is kept. */
  const keep = async (
    found: ReadonlyMap<AgentId, WorktreeSnapshot | NoSnapshot>,
    owners: ReadonlySet<string>,
  ): Promise<void> => {
    kept ??= await git.keptSnapshots()
    const changes = new Map<string, Side['commit'] | null>()
    for (const id of kept.keys()) if (!owners.has(id)) changes.set(id, null)
    for (const id of changes.keys()) await firstTouch.forget(id as AgentId)
    for (const [id, one] of found)
      if (one.kind === 'taken' && kept.get(id) !== one.commit) changes.set(id, one.commit)
    if (changes.size > 0) deps.onJournalStep('radar', 'keep')
    await git.keepSnapshots(changes)
    if (changes.size > 0) deps.onJournalStep('radar', 'kept')
    for (const [id, commit] of changes) {
      if (commit === null) kept.delete(id)
      else kept.set(id, commit)
    }
  }

  const noteTouched = async (
    pairs: readonly Pair[],
    snapshots: RadarPicture['snapshots'],
    sides: Sides,
    at: number,
  ): Promise<void> => {
    for (const pair of pairs) {
      if (pair.b !== null || snapshots.get(pair.a.id) === picture.snapshots.get(pair.a.id)) continue
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

  const lookAt = async (
    wanted: ReadonlySet<AgentId> | 'all',
    urgent: boolean,
    { radar }: Config,
  ): Promise<void> => {
    const at = clock()
    const agents = await store.agents.list()
    if (!radar.enabled) {
      await keep(new Map(), new Set())
      picture = { ...NO_PICTURE, at, enabled: false }
      return
    }
    const until = urgent ? 0 : performance.now() + LONGEST_WAIT
    const pulls = await knownPulls(store)
    const filed = new Set(pulls.flatMap((pull) => (pull.state === 'open' ? pull.head.branch : [])))
    const members = membersOf(agents, filed)
    const snapshots = await snapshotsOf(members, wanted, until)
    if (stopped) return
    await keep(
      snapshots,
      new Set(agents.flatMap(({ id, cleanedAt }) => (cleanedAt === null ? id : []))),
    )
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
    const tips = new Map<BranchName, Side | NoSnapshot>()
    for (const { base } of pairs)
      if (base !== null && !tips.has(base)) tips.set(base, await tipOf(base))
    const sides: Sides = ({ a, b, base }) => [
      sideOf(snapshots.get(a.id)),
      b === null ? tips.get(base!)! : sideOf(snapshots.get(b.id)),
    ]
    await letOthersGoFirst(until)
    const verdicts = await judge.judge(pairs, sides, picture.verdicts)
    await noteTouched(pairs, snapshots, sides, at)
    picture = { pairs, verdicts, snapshots, at, enabled: true }
    if (!stopped) await announce(picture, filed)
  }

  const round = async (): Promise<void> => {
    const [wanted, urgent] = [due, isAsked]
    due = new Set()
    isAsked = false
    try {
      await lookAt(wanted, urgent, (await settings.snapshot()).config)
    } catch (thrown) {
      due = 'all'
      throw thrown
    }
  }

  /** The look that begins after this was asked for. */
  const once = (): Promise<void> => {
    if (stopped) return Promise.resolve()
    if (running === undefined) {
      running = round().finally(() => (running = undefined))
      return running
    }
    next ??= running
      .catch(() => {})
      .then(() => {
        next = undefined
        return once()
      })
    return next
  }
  const soon = (): void => {
    once().catch((thrown: unknown) =>
      log.warn({ err: thrown }, 'whether the agents’ work merges was not looked at; it is again'),
    )
  }

  const handle = ({ type, agentId, payload }: StoredEvent): void => {
    const rests = type === 'agent.state' && agentId !== null && payload['to'] !== 'running'
    if (!rests && !NEWS.has(type)) return
    if (rests && due !== 'all') due.add(agentId)
    soon()
  }

  /** By the clock: whoever may be at work, and what events did not tell of. */
  const arm = (after: number): void => {
    if (stopped) return
    timer = setTimeout(() => void tick(), after)
    timer.unref()
  }
  const tick = async (): Promise<void> => {
    const begun = performance.now()
    const every = async () => (await settings.snapshot()).config.radar.interval * 1000
    try {
      if (due !== 'all')
        for (const { id, state } of await store.agents.list({ live: true }))
          if (state !== 'idle') due.add(id)
      await once()
    } catch (thrown) {
      log.warn({ err: thrown }, 'whether the agents’ work merges was not looked at; it is again')
    }
    const took = performance.now() - begun
    arm(Math.max(await every().catch(() => 30_000), took / SHARE))
  }

  let leave = (): void => {}
  return {
    start: () => {
      stopped = false
      leave = publisher.onEvent(handle)
      arm(0)
    },
    stop: async () => {
      stopped = true
      leave()
      clearTimeout(timer)
      await running?.catch(() => {})
    },
    look: async () => {
      due = 'all'
      isAsked = true
      await once()
      return picture
    },
  }
}
