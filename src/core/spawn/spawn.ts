import type { Agent } from '../../domain/records.ts'
import type { Config } from '../../config/schema.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { Admission } from './admission.ts'
import type {
  SpawnedAgent,
  SpawnError,
  Spawning,
  SpawnOptions,
  SpawnPlan,
  SpawnSpec,
} from './spawn-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import { slugify } from '../../domain/formats/slug.ts'
import type { Deps } from '../deps.ts'
import { issueOf } from './issues/records.ts'
import { createIssueSpecs, type ResolvedSpec } from './issues/specs.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { LaunchEnvironment, Launcher } from './launch.ts'
import { childrenMadeSince, CUT_OFF } from '../agents/made-since.ts'
import type { Approvals } from '../questions/approvals.ts'
import { createPublishBase } from './publish-base.ts'
import { createSpawnBuilder } from './build.ts'
import { createCandidates, type Candidate } from './candidates.ts'
import { createReservations } from './reserve.ts'
import { createSpawnBase } from './spawn-base.ts'
import type { SpawnStart } from './start.ts'
import type { SpawnUndo } from './undo.ts'
import type { WorktreeVariables } from './provision/variables.ts'
import type { States } from '../agents/states.ts'

/**
 * A spawn: look (base, limits, names), reserve rows and an intent in one transaction, then make
 * worktree, files and pane for all of them at once. Whatever fails is undone alone; the others go
 * on.
 */
export function createSpawning(
  deps: Pick<
    Deps,
    | 'store'
    | 'git'
    | 'forge'
    | 'files'
    | 'setupCache'
    | 'bring'
    | 'settings'
    | 'prompts'
    | 'paths'
    | 'clock'
    | 'log'
  > &
    Pick<LaunchEnvironment, 'environmentOf' | 'confine'> & {
      launcher: Launcher
      admission: Admission
      start: SpawnStart
      approvals: Approvals
      undo: SpawnUndo
      states: States
      variablesOf: WorktreeVariables
      limits: Pick<LimitWatch, 'behind' | 'explain'>
    },
): Spawning {
  const { settings, launcher, approvals, log } = deps
  const baseOf = createSpawnBase(deps)
  const candidateOf = createCandidates(deps)
  const reservations = createReservations(deps)
  const publishBase = createPublishBase(deps)
  const builder = createSpawnBuilder(deps)
  const issues = createIssueSpecs(deps)

  /**
   * With what the forge says of the issues among them. What can’t be spawned is an error of its
   * own.
   */
  const resolveIssues = async (
    caller: Caller,
    specs: readonly SpawnSpec[],
    again: boolean,
  ): Promise<{ resolved: ResolvedSpec[]; refused: SpawnError[] }> => {
    const resolved: ResolvedSpec[] = []
    const refused: SpawnError[] = []
    for (const spec of specs) {
      try {
        resolved.push(await issues.resolve(caller, spec, { again }))
      } catch (thrown) {
        refused.push(spawnError(spec.name.trim() === '' ? `#${spec.issue}` : spec.name, thrown))
      }
    }
    return { resolved, refused }
  }

  /** Of worktrees that are kept ready, while the parent’s own is looked at. */
  const lookAhead = ({ worktree }: Config, specs: readonly ResolvedSpec[]): void => {
    if (worktree.pool === 0 || worktree.sparse.length > 0) return
    const taking = specs.filter(({ branch, sparse = [] }) => branch === undefined && !sparse.length)
    const folder = deps.paths.pools[worktree.root]
    if (taking.length > 0) void deps.git.lookOverPool(folder, taking.length)
  }

  /** Everything that can be known before anything is made; `takes`: of what is then made. */
  const prepare = async (
    caller: Caller,
    specs: readonly ResolvedSpec[],
    { allowDirty, takes }: { allowDirty: boolean; takes: boolean },
  ) => {
    await settings.requireTrust()
    const configured = await settings.snapshot()
    if (takes) lookAhead(configured.config, specs)
    const base = await baseOf(caller, allowDirty)
    await reservations.requireRoom(configured.config, caller)
    const errors: SpawnError[] = []
    const candidates: Candidate[] = []
    const outcomes = await Promise.allSettled(
      specs.map((spec) => candidateOf(configured, caller, spec, base)),
    )
    for (const [index, outcome] of outcomes.entries()) {
      if (outcome.status === 'fulfilled') candidates.push(outcome.value)
      else errors.push(spawnError(specs[index]?.name ?? '', outcome.reason))
    }
    return { configured, base, candidates, errors }
  }

  /** What an issue says, and so its agent’s name and task, may be another by now. */
  const find = async (spec: SpawnSpec, children: readonly Agent[]): Promise<Agent | undefined> => {
    if (spec.issue === undefined)
      return children.find(
        (child) =>
          child.kind === spec.kind && child.name === nameOf(spec) && child.task === spec.prompt,
      )
    for (const child of children)
      if (child.kind === spec.kind && (await issueOf(deps.store, child.id))?.number === spec.issue)
        return child
    return undefined
  }

  /** Of a call that was cut off: what stands by now, and what is still to be made. */
  const madeSince = async (
    caller: Caller,
    specs: readonly SpawnSpec[],
    since: number | null,
  ): Promise<{ made: SpawnedAgent[]; specs: SpawnSpec[] }> => {
    const children = await childrenMadeSince(deps.store, caller, since)
    const made: SpawnedAgent[] = []
    const rest: SpawnSpec[] = []
    for (const spec of specs) {
      const agent = await find(spec, children)
      if (agent === undefined) rest.push(spec)
      else
        made.push({
          agent_id: agent.id,
          name: agent.name,
          branch: agent.branch,
          worktree: agent.worktree,
          pane: agent.paneId ?? '',
          session: 'fresh',
          warnings: [CUT_OFF],
        })
    }
    return { made, specs: rest }
  }

  const spawnAll = async (
    caller: Caller,
    specs: readonly SpawnSpec[],
    { allowDirty = false, again = false, wake = 'each' }: SpawnOptions,
  ): Promise<{ spawned: SpawnedAgent[]; errors: SpawnError[] }> => {
    const { resolved, refused } = await resolveIssues(caller, specs, again)
    if (resolved.length === 0) return { spawned: [], errors: refused }
    const look = () => prepare(caller, resolved, { allowDirty, takes: true })
    let prepared = await look()
    const branches = prepared.candidates.map((candidate) => candidate.branch)
    const { limits } = prepared.configured.config
    // The human may have taken hours: trust, configuration, base and names are looked at anew.
    if (await approvals.requireForSpawn(limits, caller, branches)) prepared = await look()
    const { configured, base, candidates, errors } = prepared
    // Children fetch their parent’s branch from the forge’s remote and file against it: before an
    // agent costs money it has to be there.
    const warning = candidates.length === 0 ? null : await publishBase(caller, base)
    const reserved = await reservations.reserve(configured.config, caller, candidates, {
      again,
      wake,
    })
    errors.push(...refused, ...reserved.errors)
    const built = await Promise.all(
      reserved.agents.map(
        async ({ agent, candidate, journal }): Promise<SpawnedAgent | SpawnError> => {
          try {
            return await builder.build(configured, caller, agent, candidate, journal)
          } catch (thrown) {
            log.warn({ err: thrown, agent: agent.name }, 'spawn failed, undoing')
            const failure = spawnError(candidate.spec.name, thrown)
            await deps.undo.undo(journal, failure)
            return failure
          }
        },
      ),
    )
    const spawned = built.filter((result): result is SpawnedAgent => 'agent_id' in result)
    errors.push(...built.filter((result): result is SpawnError => 'error' in result))
    for (const agent of spawned)
      agent.warnings.push(...base.warnings, ...(warning === null ? [] : [warning]))
    return { spawned, errors }
  }

  return {
    spawn: async (caller, wanted, options = {}) => {
      const { made, specs } = await madeSince(caller, wanted, options.since ?? null)
      if (made.length === 0) return spawnAll(caller, specs, options)
      if (specs.length === 0) return { spawned: made, errors: [] }
      // What refuses all of the rest takes nothing from what stands: thrown, the call would count
      // as never made.
      const rest = await spawnAll(caller, specs, options).catch((thrown: unknown) => ({
        spawned: [],
        errors: specs.map(({ name }) => spawnError(name, thrown)),
      }))
      return { spawned: [...made, ...rest.spawned], errors: rest.errors }
    },

    plan: async (caller, specs, options = {}) => {
      const { resolved, refused } = await resolveIssues(caller, specs, options.again ?? false)
      if (resolved.length === 0) return { planned: [], errors: refused }
      const { configured, base, candidates, errors } = await prepare(caller, resolved, {
        allowDirty: options.allowDirty ?? false,
        takes: false,
      })
      errors.push(...refused)
      const planned: SpawnPlan[] = []
      for (const candidate of candidates) {
        const agent = await reservations.draft(configured.config, caller, candidate)
        const plan = await launcher.plan(configured, agent, {
          mode: 'start',
          prompt: candidate.spec.prompt,
          session: null,
        })
        planned.push({
          name: agent.name,
          branch: agent.branch,
          worktree: agent.worktree,
          base: base.branch,
          fork_point: candidate.forkPoint,
          agent: candidate.cliName,
          argv: [...plan.argv],
        })
      }
      return { planned, errors }
    },
  }
}

/** The name that it gets; its own where there is none to be had, which is refused later. */
function nameOf({ name }: SpawnSpec): string {
  try {
    return slugify(name)
  } catch {
    return name
  }
}

function spawnError(name: string, thrown: unknown): SpawnError {
  const error = asExomonadError(thrown)
  return { name, error: error.message, code: error.code }
}
