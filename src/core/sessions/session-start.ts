import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import { describeResult, type Results } from '../agents/agent-result.ts'
import type { SessionStart } from './agent-sessions.ts'
import type { Configured, Deps } from '../deps.ts'
import type { Launcher } from '../spawn/launch.ts'
import { promptFacts } from '../spawn/prompt-facts.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { lookUntil } from '../mail/look-until.ts'
import { runtimeOf, toolsOf as toolsOfProgram } from '../agents/programs.ts'
import { sessionProgram, sessionTools, unavailable } from './session-choice.ts'
import type { SessionReserve } from './session-reserve.ts'
import type { SessionWatch } from './session-watch.ts'
import type { SpawnStart } from '../spawn/start.ts'

/** Milliseconds between looks where nothing wakes a wait. */
const LONG = 2 ** 31 - 1

/**
 * Sessions of the Agent Client Protocol in their caller’s worktree: reserved, journaled, started
 * and taken back as every spawn is.
 */
export function createSessionStart({
  store,
  prompts,
  launcher,
  reserve,
  start,
  results,
  watch,
  toolsOf,
}: Pick<Deps, 'store' | 'prompts'> & {
  launcher: Launcher
  reserve: SessionReserve
  start: SpawnStart
  results: Results
  watch: Pick<SessionWatch, 'begin'>
  /** Names of the listed tools that an agent may call. */
  toolsOf: (config: Config, agent: Pick<Agent, 'role' | 'tools'>) => readonly string[]
}): SessionStart {
  const requireProgram = async (configured: Configured, cliName: string): Promise<void> => {
    try {
      await launcher.requireProgram(configured, cliName)
    } catch (thrown) {
      const { code, message } = asExomonadError(thrown)
      throw code === 'AGENT_CLI_MISSING' ? unavailable(message, { agent: cliName }) : thrown
    }
  }

  /**
   * The one that was named; else the one that the caller itself was asked to use, where both run
   * the same program.
   */
  const modelOf = async (
    parent: Agent,
    cliName: string,
    asked: string | null | undefined,
  ): Promise<string | null> =>
    asked ??
    (parent.agentCli === cliName ? ((await store.runs.get(parent.id))?.model ?? null) : null)

  const readEnd = async (id: AgentId) => {
    const agent = await store.agents.get(id)
    if (agent === undefined)
      throw new ExomonadError('AGENT_NOT_FOUND', `Agent not found: ${id} was taken back.`, {
        agent: id,
      })
    return isAlive(agent.state) ? undefined : describeResult(id, await results.of(agent))
  }

  return {
    start: async (caller, options) => {
      const { kind, task, acp = null, mode = null, maxTurns = null, timeoutSecs = null } = options
      const prepared = await reserve.prepare(caller, `a session ${options.name}`)
      const { configured, parent } = prepared
      const { config } = configured
      const cliName = sessionProgram(config, parent, acp)
      const tools = sessionTools(options.tools, {
        callers: toolsOf(config, parent),
        own: parent.tools,
        program: toolsOfProgram(config, cliName),
      })
      // Named, but none: not even the server that would have none to offer.
      const noTools = options.noTools === true || options.tools?.length === 0
      await requireProgram(configured, cliName)
      const model = await modelOf(parent, cliName, options.model)
      const reserved = await reserve.reserve(
        caller,
        prepared,
        {
          name: options.name,
          kind,
          runtime: runtimeOf(cliName),
          agentCli: cliName,
          tools: noTools ? [] : tools,
          task,
        },
        { command: null, model, timeout: timeoutSecs === null ? null : timeoutSecs * 1000 },
      )
      const { agent, journal } = reserved
      await reserve.orUndo(reserved, async () => {
        const facts = {
          ...promptFacts(agent, parent),
          facts: Object.entries(options.facts ?? {}).map(([key, value]) => ({ key, value })),
          system_prompt: options.systemPrompt ?? '',
          ...(noTools ? { tools: [] as const } : {}),
        }
        // One prompt, as it was given.
        const prompt =
          kind === 'delegate'
            ? task
            : await prompts(config, kind === 'llm' ? 'session' : 'subagent', facts)
        const launch = {
          mode: 'start',
          prompt,
          session: null,
          model,
          sessionMode: mode,
          maxTurns,
          noTools,
        } as const
        await start.start({ configured, caller, agent, journal, launch })
      })
      await watch.begin(agent.id)
      return (await store.agents.get(agent.id)) ?? agent
    },

    ended: async (id, signal) => {
      const found = await lookUntil(() => readEnd(id), {
        timeout: LONG,
        signal,
        subscribe: (wake) => store.subscribe(id, wake),
        lookEvery: store.lookEvery,
        begun: async () => async () => {},
      })
      if (found === undefined) throw signal.reason ?? new Error('aborted')
      return found
    },
  }
}
