import { asExomonadError } from '../../domain/errors.ts'
import type { WorktreeStatus } from '../../adapters/git/git.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { Results } from '../agents/agent-result.ts'
import { findAgent } from '../agents/directory.ts'
import type { EndPrograms } from '../agents/end-program.ts'
import type { States } from '../agents/states.ts'
import type { Deps } from '../deps.ts'
import type { OwnPanes } from '../panes/panes.ts'
import type { Teardown } from '../spawn/provision/teardown.ts'
import { atOnce } from '../at-once.ts'
import type { BeginClean, CleanJournal } from './clean-journal.ts'
import type { ForgetBranches } from './forget-branches.ts'
import { createKeepReasons, shares } from './keep-reason.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import { createMeanwhile } from './meanwhile.ts'
import type { RecordRemoved } from './record-removed.ts'

type Removed = Awaited<ReturnType<Maintenance['clean']>>['removed'][number]
/** `reason`: why it stays; null: it is gone, or would be. */
type Outcome = { readonly reason: string | null; readonly warnings?: string[] }

interface Passed {
  readonly agent: Agent
  readonly commits: string | null
}

/** Looking over a large worktree takes a processor, and the disk, for a while. */
const AT_ONCE = 4

/**
 * Takes away what is proven merged, and nothing else: the branch’s tip must be in its base, the
 * worktree clean, the program ended. One that `down` stopped goes as well where it is done, which a
 * branch without any commit does not show; with `kill` so does one that rests in its program. Each
 * worktree is looked at by itself, right before its files are moved away; all else is done for all
 * together.
 */
export function createClean({
  settings,
  store,
  git,
  forge,
  files,
  trash,
  panes,
  states,
  endPrograms,
  teardown,
  results,
  begin,
  forgetBranches,
  recordRemoved,
}: Pick<Deps, 'settings' | 'store' | 'git' | 'forge' | 'files' | 'trash'> & {
  panes: OwnPanes
  states: States
  endPrograms: EndPrograms
  results: Pick<Results, 'record'>
  teardown: Teardown
  /** Of what a crash must not leave half done. */
  begin: BeginClean
  forgetBranches: ForgetBranches
  recordRemoved: RecordRemoved
}): Maintenance['clean'] {
  const { look, ofRecords, ofFiles } = createKeepReasons({ store, git, forge, files })
  const { end, needed } = createMeanwhile({ store, states, endPrograms })

  /** Its files go into the trash; what was seen of it right now is not looked at again. */
  const takeAway = async (
    agent: Agent,
    status: WorktreeStatus | null,
    tearDown: () => Promise<string[]>,
  ): Promise<Outcome> => {
    const { worktree } = agent
    const isTornDown = (await settings.snapshot()).config.worktree.teardown.length > 0
    // Nothing is torn down of a worktree that then stays.
    if (isTornDown) await git.requireRemovable(worktree)
    const reason = await needed(agent)
    if (reason !== null) return { reason }
    if (!isTornDown) {
      const looked = status === null ? {} : { looked: status }
      await git.removeWorktree(worktree, { trash: trash.folder, ...looked })
      return { reason }
    }
    const warnings = await tearDown()
    const since = await needed(agent)
    if (since === null) await git.removeWorktree(worktree, { trash: trash.folder })
    return { reason: since, warnings }
  }

  return async ({ dryRun, kill, addresses }) => {
    const agents = (await store.agents.list()).filter((agent) => agent.cleanedAt === null)
    const named = await Promise.all(addresses.map((address) => findAgent(store.agents, address)))
    const wanted = agents.filter(
      (agent) =>
        agent.ownsWorktree &&
        (named.length === 0 || named.some((one) => one.id === agent.id || shares(one, agent))),
    )
    const forksOf = (agent: Agent): Agent[] => agents.filter((other) => shares(other, agent))
    const staying = new Set(agents)
    const outcomes = new Map<Agent, Outcome>()
    let around = await look(agents)

    const keep = (agent: Agent, thrown: unknown): void =>
      void outcomes.set(agent, { reason: asExomonadError(thrown).message })
    /** What speaks against it by the records; undefined where it stays for that. */
    const passes = async (agent: Agent, ended: boolean): Promise<Passed | undefined> => {
      const forks = forksOf(agent)
      // What a program did until it was ended counts as well.
      const now = ended ? { ...agent, state: 'killed' as const } : agent
      const others = [...staying].filter((one) => !ended || !forks.includes(one))
      const { reason, commits } = await ofRecords(now, others, around, { kill })
      if (reason === null) return { agent, commits }
      outcomes.set(agent, { reason })
      return undefined
    }
    const each = async (
      some: readonly Agent[],
      work: (agent: Agent) => Promise<unknown>,
    ): Promise<void> => {
      await atOnce(AT_ONCE, some, (agent) =>
        work(agent).catch((thrown: unknown) => keep(agent, thrown)),
      )
    }

    /** Those whose worktree is gone now; why the others stay stands in `outcomes`. */
    const clear = async (
      level: readonly Agent[],
      journal: CleanJournal | undefined,
    ): Promise<Agent[]> => {
      const isLiving = (agent: Agent): boolean =>
        [...forksOf(agent), agent].some(({ state }) => isAlive(state))
      const ending: Agent[] = []
      await each(dryRun ? level : level.filter(isLiving), async (agent) => {
        const passed = await passes(agent, false)
        if (passed === undefined) return
        const verdict = await ofFiles(agent, around, passed.commits)
        if (verdict.kind === 'kept') outcomes.set(agent, { reason: verdict.reason })
        else ending.push(agent)
      })
      if (journal === undefined) return ending
      for (const [agent, reason] of await end(ending, agents, { kill }))
        outcomes.set(agent, { reason })
      if (ending.length > 0) around = await look(agents)

      const passed: Passed[] = []
      await each(
        level.filter((agent) => !outcomes.has(agent)),
        async (agent) => {
          const one = await passes(agent, isLiving(agent))
          const reason = one === undefined ? null : await needed(agent)
          if (reason !== null) outcomes.set(agent, { reason })
          else if (one !== undefined) passed.push(one)
        },
      )
      const free = passed.filter(({ commits }) => commits === null)
      const open = await endLeftBehind(free.flatMap(({ agent }) => [...forksOf(agent), agent]))
      await journal.going(
        free.map(({ agent }) => agent),
        around.tips,
      )
      const commitsOf = new Map(passed.map(({ agent, commits }) => [agent, commits]))
      const gone: Agent[] = []
      await each([...commitsOf.keys()], async (agent) => {
        const commits = commitsOf.get(agent) ?? null
        // Which files they changed is read from what is about to go.
        if (commits === null)
          for (const { id } of [...forksOf(agent), agent]) await results.record(id)
        let verdict = await ofFiles(agent, around, commits)
        const panesOf = [...forksOf(agent), agent].filter((one) => open.has(one))
        if (verdict.kind === 'free' && panesOf.length > 0) {
          await panes.closeAll(panesOf)
          verdict = await ofFiles(agent, around, commits)
        }
        if (verdict.kind === 'kept') {
          outcomes.set(agent, { reason: verdict.reason })
          return
        }
        const outcome = await takeAway(agent, verdict.status, () => teardown(agent))
        outcomes.set(agent, outcome)
        if (outcome.reason === null) gone.push(agent)
      })
      return gone
    }

    /** What programs left running whose pane is gone ends; returns those that have one still. */
    const endLeftBehind = async (some: readonly Agent[]): Promise<Set<Agent>> => {
      const ended = some.filter(({ state }) => !isAlive(state))
      const open = new Set<Agent>()
      await Promise.all(
        ended.map(async (agent) => (await panes.find(agent)) !== undefined && open.add(agent)),
      )
      await panes.closeAll(ended.filter((agent) => !open.has(agent)))
      return open
    }

    const journal = dryRun || wanted.length === 0 ? undefined : await begin(wanted)
    // Children before parents: a parent’s branch is the base its children are compared with.
    const depths = [...new Set(wanted.map(({ depth }) => depth))].sort((a, b) => b - a)
    try {
      for (const depth of depths) {
        const level = wanted.filter((agent) => agent.depth === depth)
        const gone = await clear(level, journal)
        if (journal !== undefined && gone.length > 0) {
          await journal.step('branches')
          const refused = await forgetBranches(gone, around.tips)
          for (const [agent, error] of refused) keep(agent, error)
          await journal.step('record')
          await recordRemoved(
            gone
              .filter((agent) => !refused.has(agent))
              .map((agent) => ({ agent, forks: forksOf(agent) })),
          )
        }
        for (const agent of gone)
          if ((outcomes.get(agent)?.reason ?? null) === null)
            for (const one of [...forksOf(agent), agent]) staying.delete(one)
      }
      await journal?.finish()
    } catch (thrown) {
      await journal?.fail()
      throw thrown
    }
    // Nobody waits for the files.
    if (!dryRun) trash.empty()
    return report(wanted, outcomes)
  }
}

function report(
  wanted: readonly Agent[],
  outcomes: ReadonlyMap<Agent, Outcome>,
): Awaited<ReturnType<Maintenance['clean']>> {
  const removed: Removed[] = []
  const kept: (Removed & { reason: string })[] = []
  for (const agent of wanted.toSorted((a, b) => b.depth - a.depth)) {
    const { name, branch, worktree } = agent
    const place: Removed = { agent: name, branch, worktree }
    const { reason = null, warnings = [] } = outcomes.get(agent) ?? {}
    if (reason !== null) kept.push({ ...place, reason })
    else removed.push(warnings.length > 0 ? { ...place, warnings } : place)
  }
  return { removed, kept }
}
