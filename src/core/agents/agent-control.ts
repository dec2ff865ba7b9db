import type { Agent, AgentPatch } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { AgentControl } from './control-use-cases.ts'
import type { Deps } from '../deps.ts'
import type { EndPrograms } from './end-program.ts'
import type { Launcher } from '../spawn/launch.ts'
import { promptFacts } from '../spawn/prompt-facts.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { createShowing } from '../panes/showing.ts'
import { runtimeOf, toolsOf } from './programs.ts'
import type { States } from './states.ts'
import { createLaunchAgain } from './launch-again.ts'
import { createResume } from './resume.ts'
import { createEndAgents } from './end-agents.ts'

/** Programs of agents that exist: started, ended, brought back, looked at. */
export function createAgentControl(
  deps: Pick<
    Deps,
    'store' | 'multiplexer' | 'files' | 'gate' | 'settings' | 'prompts' | 'publisher' | 'log'
  > & {
    launcher: Launcher
    states: States
    panes: OwnPanes
    endPrograms: EndPrograms
    say: (agent: Agent, message: string) => Promise<void>
    /** Mail that an agent’s earlier program was notified of and never took. */
    remindOfMail: (agent: Agent) => Promise<void>
    /** A pane whose program may have ended before anybody knew whose it was. */
    opened: (paneId: PaneId) => void
    /** Whose programs are being started. */
    launching: Set<AgentId>
  },
): Omit<AgentControl, 'interrupt'> {
  const { store, settings, prompts, launcher, panes } = deps
  const launchAgain = createLaunchAgain(deps)

  return {
    up: async (task, agentName) => {
      const root = (await store.agents.list()).find((agent) => agent.kind === 'root')
      if (root === undefined)
        throw new ExomonadError(
          'NOT_INITIALIZED',
          'No root is registered here. Run `exomonad init` first.',
        )
      const pane = await panes.find(root)
      if (pane !== undefined && !pane.dead) {
        if (task !== undefined) await deps.say(root, task)
        return {
          agent_id: root.id,
          pane: pane.paneId,
          already: true,
          warnings:
            task === undefined
              ? []
              : ['The root’s agent runs already: the task was sent to it as a message.'],
        }
      }
      await settings.requireTrust()
      const configured = await settings.snapshot()
      const { config } = configured
      const agentCli = launcher.cliOfRole(config, root.role, agentName)
      await launcher.requireProgram(configured, agentCli)
      const resuming = task === undefined && root.task !== ''
      // The conversation of another program is nothing to go on with.
      const session =
        root.agentCli === null || root.agentCli === agentCli
          ? {}
          : { sessionId: null, transcript: null }
      const patch: AgentPatch = {
        agentCli,
        ...session,
        runtime: runtimeOf(agentCli),
        tools: toolsOf(config, agentCli),
        ...(task === undefined ? {} : { task, outcome: null }),
      }
      const prompt = await prompts(
        config,
        'root',
        promptFacts({ ...root, task: task ?? root.task }, undefined),
      )
      const launched = await launchAgain(
        configured,
        { ...root, ...patch },
        resuming ? 'resume' : 'start',
        prompt,
        { patch },
      )
      return {
        agent_id: root.id,
        pane: launched.paneId,
        already: false,
        warnings: [...launched.plan.warnings],
      }
    },

    resume: createResume({ ...deps, launchAgain }),
    ...createEndAgents(deps),
    ...createShowing(deps),
  }
}
