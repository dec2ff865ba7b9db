import { randomUUID } from 'node:crypto'
import {
  asBranchName,
  parseAgentId,
  parseSha,
  type BranchName,
  type Sha,
} from '../../domain/ids.ts'
import type { Agent, JournalEntry } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import type { ForgetBranches } from './forget-branches.ts'
import { shares } from './keep-reason.ts'
import type { Maintenance } from './maintenance-use-cases.ts'
import type { RecordRemoved } from './record-removed.ts'

/**
 * Each is written before it is taken: programs are ended, worktrees moved away, branches deleted,
 * and what is gone written down.
 */
type CleanStep = 'programs' | 'worktrees' | 'branches' | 'record'

/** What the journal of a clean holds: ids and names as plain text. */
interface CleanIntent {
  /** All that it was asked for. */
  readonly wanted: readonly string[]
  /** Those of them that were proven merged when their worktrees were moved away. */
  readonly going: readonly string[]
  /** Where the branches of those stood. */
  readonly tips: Readonly<Record<string, string>>
}

/** One clean, from its first step to its end. */
export interface CleanJournal {
  step(step: CleanStep): Promise<void>
  /** The worktrees of these are about to go. */
  going(agents: readonly Agent[], tips: ReadonlyMap<BranchName, Sha>): Promise<void>
  finish(): Promise<void>
  /**
   * It failed. Where worktrees may be gone by then, reconciliation finishes it as if a crash had cut
   * it off. Never throws.
   */
  fail(): Promise<void>
}

/** Begins the journal of a clean of these agents. */
export type BeginClean = (wanted: readonly Agent[]) => Promise<CleanJournal>

/** `stuck`: journals of those that failed are added to it. */
export const createBeginClean =
  ({
    store,
    clock,
    onJournalStep,
    stuck,
  }: Pick<Deps, 'store' | 'clock' | 'onJournalStep'> & { stuck: Set<string> }): BeginClean =>
  async (wanted) => {
    const id = randomUUID()
    const data = { wanted: wanted.map((agent) => agent.id), going: [], tips: {} }
    await store.journal.begin({
      ...{ id, kind: 'clean', step: 'programs' satisfies CleanStep, data },
      startedAt: clock(),
    })
    onJournalStep('clean', 'programs')
    const going: string[] = []
    const tipsOf: Record<string, string> = {}
    const step = async (name: CleanStep, more?: Partial<CleanIntent>): Promise<void> => {
      await store.journal.step(id, name, more)
      onJournalStep('clean', name)
    }
    return {
      step,
      going: (agents, tips) => {
        for (const agent of agents) {
          going.push(agent.id)
          const tip = tips.get(agent.branch)
          if (tip !== undefined) tipsOf[agent.branch] = tip
        }
        return step('worktrees', { going, tips: tipsOf })
      },
      finish: () => store.journal.finish(id, 'done'),
      fail: async () => {
        const isOver =
          going.length === 0 &&
          (await store.journal.finish(id, 'undone').then(
            () => true,
            () => false,
          ))
        if (!isOver) stuck.add(id)
      },
    }
  }

/**
 * Finishes a clean that a crash cut off, or that failed. Where a worktree is gone already, what is left of it goes
 * as well: git’s record, the branch where it still stands at what was proven merged, the records.
 * What still has one is judged anew, as if it were asked for now; programs that run go on.
 */
export const createSettleClean =
  ({
    store,
    git,
    files,
    trash,
    forgetBranches,
    recordRemoved,
    clean,
    stuck,
  }: Pick<Deps, 'store' | 'git' | 'files' | 'trash'> & {
    stuck: Set<string>
    forgetBranches: ForgetBranches
    recordRemoved: RecordRemoved
    clean: Maintenance['clean']
  }) =>
  async (entry: JournalEntry): Promise<'done'> => {
    const { wanted, going, tips } = entry.data as unknown as CleanIntent
    const there = (await store.agents.list()).filter(({ cleanedAt }) => cleanedAt === null)
    const ids = new Set(going.map(parseAgentId))
    const gone: Agent[] = []
    for (const agent of there)
      if (ids.has(agent.id) && !(await files.exists(agent.worktree))) {
        await git.removeWorktree(agent.worktree)
        gone.push(agent)
      }
    const stood = Object.entries(tips).map(
      ([branch, tip]) => [asBranchName(branch), parseSha(tip)] as const,
    )
    const refused = await forgetBranches(gone, new Map(stood))
    await recordRemoved(
      gone
        .filter((agent) => !refused.has(agent))
        .map((agent) => ({ agent, forks: there.filter((other) => shares(other, agent)) })),
    )
    const left = there.filter(({ id }) => wanted.includes(id) && !gone.some((one) => one.id === id))
    if (left.length > 0)
      await clean({ dryRun: false, kill: false, addresses: left.map(({ id }) => id) })
    await store.journal.finish(entry.id, 'done')
    stuck.delete(entry.id)
    trash.empty()
    return 'done'
  }
