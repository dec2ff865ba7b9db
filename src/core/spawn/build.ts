import type { Agent } from '../../domain/records.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { SpawnedAgent } from './spawn-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import { adapterOf } from '../agents/programs.ts'
import { promptFacts } from './prompt-facts.ts'
import type { Candidate } from './candidates.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { LaunchEnvironment } from './launch.ts'
import type { WorktreeVariables } from './provision/variables.ts'
import { createProvision } from './provision/provision.ts'
import type { SpawnStart } from './start.ts'
import type { States } from '../agents/states.ts'

/**
 * Makes what a reserved agent needs. Each step is in the journal before it is taken; the caller
 * undoes on a throw.
 */
export function createSpawnBuilder(
  deps: Pick<Deps, 'paths' | 'store' | 'git' | 'files' | 'prompts' | 'setupCache' | 'bring'> &
    Pick<LaunchEnvironment, 'environmentOf' | 'confine'> & {
      start: SpawnStart
      states: States
      variablesOf: WorktreeVariables
      limits: Pick<LimitWatch, 'behind' | 'explain'>
    },
) {
  const { store, git, prompts, paths } = deps
  const { step, start } = deps.start

  const provision = createProvision(deps)

  return {
    build: async (
      configured: Configured,
      caller: Caller,
      agent: Agent,
      candidate: Candidate,
      journal: string,
    ): Promise<SpawnedAgent> => {
      const { spec, adopt } = candidate
      const { config } = configured
      if (adopt === undefined || adopt.worktree === null) {
        await step(journal, 'worktree')
        try {
          await git.addWorktree({
            path: agent.worktree,
            branch: agent.branch,
            create: adopt === undefined,
            at: adopt === undefined ? candidate.forkPoint : adopt.head,
            checkoutWorkers: config.git.checkout_workers,
            sparse: spec.sparse ?? config.roles[agent.role]?.sparse ?? config.worktree.sparse,
            ...(config.worktree.pool > 0 ? { pool: paths.pools[config.worktree.root] } : {}),
          })
        } catch (thrown) {
          // Somebody else’s branch, made since it was looked for: not ours to take back.
          if (asExomonadError(thrown).code === 'BRANCH_EXISTS')
            await store.journal.step(journal, 'worktree', { makesBranch: false })
          throw thrown
        }
      }
      await step(journal, 'furnish')
      const lacking = await provision(config, caller, agent)

      const session = spec.parentSessionId ?? caller.agent.sessionId
      const own = adapterOf(configured, agent)
      const parents = adapterOf(configured, caller.agent)
      // A conversation is of one program; adapter `command` hands its file over, whatever it is of.
      const readable = own === 'command' || own === parents
      const inherits = spec.kind === 'subtree' && session !== null && readable
      const strange =
        spec.kind === 'subtree' && session !== null && !readable
          ? [
              `${agent.name} starts with a fresh conversation: it runs ${own ?? 'another program'}, which can’t read the one of its parent’s ${parents ?? 'program'}.`,
            ]
          : []
      const prompt = await prompts(
        config,
        spec.kind === 'subtree' ? 'subtree' : 'worker',
        promptFacts(agent, caller.agent),
      )
      const launched = await start({
        configured,
        caller,
        agent,
        journal,
        launch: {
          mode: inherits ? 'fork' : 'start',
          prompt,
          session: inherits ? { id: session, transcript: caller.agent.transcript } : null,
        },
      })
      return {
        agent_id: agent.id,
        name: agent.name,
        branch: agent.branch,
        worktree: agent.worktree,
        pane: launched.paneId,
        session: launched.plan.session === 'forked' ? 'forked' : 'fresh',
        warnings: [...strange, ...lacking, ...launched.plan.warnings],
      }
    },
  }
}
