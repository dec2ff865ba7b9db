import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { ResumedAgent, AgentControl } from './control-use-cases.ts'
import type { SpawnError } from '../spawn/spawn-use-cases.ts'
import type { Deps } from '../deps.ts'
import { requireLasting } from './directory.ts'
import { parentText, promptFacts } from '../spawn/prompt-facts.ts'
import { isAlive, isLasting } from '../../domain/lifecycle.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import { addressOf, isFolded, resolveAddress } from './tree.ts'
import type { LaunchAgain } from './launch-again.ts'

/** Brings back agents whose program is gone, as `AgentControl.resume` says. */
export function createResume({
  store,
  multiplexer,
  files,
  settings,
  prompts,
  launchAgain,
}: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'settings' | 'prompts'> & {
  launchAgain: LaunchAgain
}): AgentControl['resume'] {
  return async (address) => {
    await settings.requireTrust()
    const configured = await settings.snapshot()
    const agents = await store.agents.list()
    const merged = mergedBranches(await knownPulls(store))
    // What is done is brought back only by name.
    const done = (agent: Agent) =>
      agent.kind !== 'root' && (agent.outcome?.success === true || isFolded(agent, merged))
    const running = new Set(
      (await multiplexer.list()).filter((pane) => !pane.dead).map((pane) => pane.agentId),
    )
    // One in state spawning is at work; one that a crash left so is settled by the next
    // reconciliation.
    const gone = (agent: Agent) => !running.has(agent.id) && agent.state !== 'spawning'
    const wanted =
      address === undefined
        ? agents.filter(
            (agent) =>
              gone(agent) &&
              agent.reapedAt === null &&
              !done(agent) &&
              isLasting(agent) &&
              agent.agentCli !== null &&
              (agent.state === 'failed' || isAlive(agent.state)),
          )
        : [resolveAddress(agents, address)]
    const resumed: ResumedAgent[] = []
    const errors: SpawnError[] = []
    for (const agent of wanted) {
      try {
        requireLasting(agent)
        if (!gone(agent))
          throw new ExomonadError(
            'INVALID_ARG',
            `${agent.name} runs already. \`exomonad attach ${addressOf(agent)}\` shows it.`,
          )
        if (!(await files.exists(agent.worktree)))
          throw new ExomonadError(
            'NOT_AVAILABLE',
            `The worktree of ${agent.name} is gone: ${agent.worktree}. \`git worktree add\` it again, then resume.`,
          )
        const parent = agents.find(({ id }) => id === agent.parentId)
        const kept = parentText(files, agent)
        const handed =
          agent.kind === 'fork' && (await files.exists(kept)) ? { transcript: kept } : {}
        const prompt = await prompts(configured.config, 'resume', {
          ...promptFacts(agent, parent),
          ...handed,
        })
        const launched = await launchAgain(configured, agent, 'resume', prompt, handed)
        const { session, warnings } = launched.plan
        resumed.push({
          agent_id: agent.id,
          name: agent.name,
          pane: launched.paneId,
          session,
          warnings: [...warnings],
        })
      } catch (thrown) {
        const error = asExomonadError(thrown)
        if (address !== undefined) throw error
        errors.push({ name: agent.name, error: error.message, code: error.code })
      }
    }
    return { resumed, errors }
  }
}
