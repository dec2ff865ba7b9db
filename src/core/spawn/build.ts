import { join } from 'node:path'
import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { SpawnedAgent } from './spawn-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Configured, Deps } from '../deps.ts'
import { adapterOf } from '../agents/programs.ts'
import { promptFacts } from './prompt-facts.ts'
import type { Candidate } from './candidates.ts'
import type { LaunchEnvironment } from './launch.ts'
import type { SpawnStart } from './start.ts'

/**
 * Makes what a reserved agent needs. Each step is in the journal before it is taken; the caller
 * undoes on a throw.
 */
export function createSpawnBuilder(
  deps: Pick<Deps, 'store' | 'git' | 'files' | 'prompts' | 'paths'> &
    Pick<LaunchEnvironment, 'environmentOf'> & { start: SpawnStart },
) {
  const { store, git, files, prompts, paths } = deps
  const { step, start } = deps.start

  /**
   * What set-up commands find of the agent that they prepare a worktree for. No token: they act for
   * nobody.
   */
  const variablesOf = (agent: Agent): Record<string, string> => ({
    EXOMONAD_AGENT_ID: agent.id,
    EXOMONAD_AGENT_NAME: agent.name,
    EXOMONAD_PARENT_ID: agent.parentId ?? '',
    EXOMONAD_ROLE: agent.role,
    EXOMONAD_BRANCH: agent.branch,
    EXOMONAD_BASE_BRANCH: agent.baseBranch ?? '',
    EXOMONAD_WORKTREE: agent.worktree,
    EXOMONAD_REPOSITORY: paths.home,
  })

  /**
   * Ignored files and set-up commands of the configuration. Returns what the worktree lacks after
   * them.
   */
  const provisionWorktree = async (
    config: Config,
    caller: Caller,
    agent: Agent,
  ): Promise<string[]> => {
    const { worktree } = config
    if (worktree.include.length > 0)
      await files.copyInto(
        caller.agent.worktree,
        agent.worktree,
        await git.ignoredFiles(caller.agent.worktree, worktree.include),
      )
    for (const argv of worktree.setup) {
      const result = await files.runSetup(argv, agent.worktree, {
        env: { ...deps.environmentOf(config), ...variablesOf(agent) },
        timeoutMs: worktree.setup_timeout * 1000,
      })
      if (!result.ok)
        throw new ExomonadError(
          'SPAWN_FAILED',
          `The set-up command \`${argv.join(' ')}\` failed in ${agent.worktree}: ${result.output}`,
          { command: argv },
        )
    }
    const empty = (await files.exists(join(agent.worktree, '.gitmodules')))
      ? await git.emptySubmodules(agent.worktree)
      : []
    if (empty.length === 0) return []
    const these =
      empty.length === 1 ? `The submodule ${empty[0]} is` : `The submodules ${empty.join(', ')} are`
    return [
      `${these} empty in its worktree: git fills none in a new one. [worktree] setup = [["git", "submodule", "update", "--init"]] does.`,
    ]
  }

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
          })
        } catch (thrown) {
          // Somebody else’s branch, made since it was looked for: not ours to take back.
          if (asExomonadError(thrown).code === 'BRANCH_EXISTS')
            await store.journal.step(journal, 'worktree', { makesBranch: false })
          throw thrown
        }
      }
      await step(journal, 'furnish')
      const lacking = await provisionWorktree(config, caller, agent)

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
