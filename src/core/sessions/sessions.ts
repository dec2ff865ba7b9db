import type { DetachedHolder } from '../../adapters/terminals/headless.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { describeResult, type Results } from '../agents/agent-result.ts'
import type { Sessions, SessionStart } from './agent-sessions.ts'
import { describeStatus } from '../agents/agent-status.ts'
import type { AgentControl } from '../agents/control-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { readWaits } from '../tree/waits.ts'
import { findAgent, requireBelow } from '../agents/directory.ts'
import type { Launcher } from '../spawn/launch.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { childrenMadeSince } from '../agents/made-since.ts'
import { sessionName, taskName } from './session-names.ts'
import type { SessionReserve } from './session-reserve.ts'
import type { SessionWatch } from './session-watch.ts'
import type { SpawnStart } from '../spawn/start.ts'

export function createSessions({
  store,
  detached,
  launcher,
  reserve,
  start,
  sessions,
  watch,
  results,
  running,
}: Pick<Deps, 'store'> & {
  detached: Pick<DetachedHolder, 'writeStdin'>
  launcher: Pick<Launcher, 'launchProcess'>
  reserve: SessionReserve
  start: Pick<SpawnStart, 'open'>
  sessions: Pick<SessionStart, 'start'>
  watch: Pick<SessionWatch, 'begin'>
  results: Pick<Results, 'of'>
  running: Pick<AgentControl, 'kill'>
}): Sessions {
  /** Below the caller, by any of its addresses. */
  const below = async (caller: Caller, address: string, verb: string): Promise<Agent> => {
    const agent = await findAgent(store.agents, address)
    if (caller.kind === 'agent') requireBelow(await store.agents.list(), caller, agent, verb)
    return agent
  }

  return {
    spawnSession: async (caller, { goal, model, context, timeoutSecs, tools, since }) => {
      const made = (await childrenMadeSince(store, caller, since)).find(
        ({ kind, task }) => kind === 'llm' && task === goal,
      )
      if (made !== undefined) return { agent_id: made.id, status: 'spawned' }
      const agent = await sessions.start(caller, {
        kind: 'llm',
        name: sessionName(goal),
        task: goal,
        tools: tools ?? null,
        model: model ?? null,
        facts: context ?? {},
        timeoutSecs: timeoutSecs ?? null,
      })
      return { agent_id: agent.id, status: 'spawned' }
    },

    spawnTask: async (caller, command, since) => {
      for (const { id, kind } of await childrenMadeSince(store, caller, since))
        if (kind === 'process' && (await store.runs.get(id))?.command === command)
          return { agent_id: id, status: 'spawned' }
      if (command.trim() === '' || command.includes('\0'))
        throw new ExomonadError(
          'INVALID_ARG',
          'command: there is nothing that a shell could run. Give one line, or several, of shell.',
          { field: 'command' },
        )
      const prepared = await reserve.prepare(
        caller,
        `a background task \`${command.trim().split('\n')[0]?.slice(0, 80) ?? ''}\``,
      )
      const reserved = await reserve.reserve(
        caller,
        prepared,
        {
          name: taskName(command),
          kind: 'process',
          runtime: 'headless',
          agentCli: null,
          tools: [],
          task: command,
        },
        { command, model: null, timeout: null },
      )
      const { agent, journal } = reserved
      await reserve.orUndo(reserved, () =>
        start.open({
          ...{ caller, agent, journal },
          open: () => launcher.launchProcess(prepared.configured.config, agent, command),
        }),
      )
      await watch.begin(agent.id)
      return { agent_id: agent.id, status: 'spawned' }
    },

    status: async (caller, address) => {
      const agents = await store.agents.list()
      const root = agents.find(({ kind }) => kind === 'root')
      const waitsOf = await readWaits(store, agents)
      const describe = (agent: Agent) => describeStatus(agent, root, waitsOf(agent))
      if (address !== undefined) return describe(await findAgent(store.agents, address))
      return {
        agents: agents
          .filter((agent) => agent.kind !== 'root' && agent.reapedAt === null)
          .map(describe),
      }
    },

    result: async (caller, address) => {
      const agent = await below(caller, address, 'read the result of')
      const {
        turns: _turns,
        reason: _reason,
        ...result
      } = describeResult(agent.id, await results.of(agent))
      return result
    },

    kill: async (caller, address) => {
      await running.kill(caller, address)
      return { killed: true }
    },

    writeStdin: async (caller, address, data) => {
      const agent = await below(caller, address, 'write to')
      if (agent.kind !== 'process') {
        throw new ExomonadError(
          'INVALID_ARG',
          `${agent.name} is no background task: it has no input to write to. Use send.`,
          {
            agent: agent.id,
            kind: agent.kind,
          },
        )
      }
      const written =
        isAlive(agent.state) && agent.paneId !== null
          ? await detached.writeStdin(agent.paneId, `${data}\n`)
          : { kind: 'gone' as const }
      if (written.kind === 'written') return { written_bytes: written.bytes }
      if (written.kind === 'full') {
        throw new ExomonadError(
          'STDIN_CLOSED',
          `${agent.name} takes no more input: it does not read, and all that was written to it so far waits. Write when it reads again, or start another.`,
          { agent: agent.id, state: agent.state },
        )
      }
      const why =
        written.kind === 'closed'
          ? 'it no longer reads its input'
          : isAlive(agent.state)
            ? 'its program has ended'
            : `it has ${agent.state}`
      throw new ExomonadError(
        'STDIN_CLOSED',
        `${agent.name} takes no more input: ${why}. Start another.`,
        { agent: agent.id, state: agent.state },
      )
    },
  }
}
