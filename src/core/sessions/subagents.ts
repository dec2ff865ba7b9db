import { acpNameOf } from '../../domain/acp-names.ts'
import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { SessionStart, SubagentAnswer, SubagentCall, Subagents } from './agent-sessions.ts'
import type { BlockingCalls } from '../turns/blocking-calls.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { sessionProgram } from './session-choice.ts'
import { sessionName } from './session-names.ts'
import type { SubagentProgress } from './subagent-progress.ts'
import { ancestorsOf } from '../agents/tree.ts'

/** What nests: at the limit of `limits.max_subagent_depth` a subagent has neither. */
export const SUBAGENT_TOOLS: readonly string[] = ['subagent_spawn', 'subagent_delegate']

type Started = Parameters<SessionStart['start']>[1]
type Ended = Awaited<ReturnType<SessionStart['ended']>>

/**
 * Sessions that live for one call: of the caller that waits, which is `waiting` meanwhile as in any
 * call that blocks. Whatever ends the call ends them. What they leave is their record; a call is
 * nowhere but in this process, so a restart ends them too.
 */
export function createSubagents({
  store,
  settings,
  log,
  clock,
  sessions,
  blockingCalls,
  progress,
  toolsOf,
  kill,
}: Pick<Deps, 'store' | 'settings' | 'log' | 'clock'> & {
  sessions: SessionStart
  blockingCalls: Pick<BlockingCalls, 'begin'>
  progress: SubagentProgress
  /** Names of the listed tools that an agent may call. */
  toolsOf: (config: Config, agent: Pick<Agent, 'role' | 'tools'>) => readonly string[]
  /** Ends an agent and all below it. */
  kill: (caller: Caller, id: string, reason: string) => Promise<unknown>
}): Subagents & {
  /**
   * Subagents that no call of this process waits for, as after a start: nobody would ever have
   * their answers.
   */
  endLost(why: string): Promise<void>
} {
  /** Of calls that wait, and how many are starting theirs. */
  const awaited = new Set<string>()
  let starting = 0

  /** How deep the caller is nested already, and how deep it may be. */
  const nestingOf = async (
    { limits }: Config,
    { agent }: Caller,
  ): Promise<{ depth: number; limit: number }> => {
    const line = [agent, ...ancestorsOf(await store.agents.list(), agent.id)]
    return {
      depth: line.filter(({ kind }) => kind === 'spawn').length,
      limit: limits.max_subagent_depth,
    }
  }

  const requireDepth = async (
    config: Config,
    caller: Caller,
  ): Promise<{ depth: number; limit: number }> => {
    const { depth, limit } = await nestingOf(config, caller)
    if (depth >= limit) {
      throw new ExomonadError(
        'LIMIT_REACHED',
        `${caller.agent.name} is ${depth} deep in subagents, and ${limit} is the limit (limits.max_subagent_depth): do this yourself.`,
        { depth, limit },
      )
    }
    return { depth, limit }
  }

  const end = async (caller: Caller, child: Agent, reason: string): Promise<void> => {
    try {
      await kill(caller, child.id, reason)
    } catch (thrown) {
      // It may have ended by itself just now.
      const now = await store.agents.get(child.id)
      if (now !== undefined && isAlive(now.state))
        log.warn({ err: thrown, agent: child.id }, 'a subagent without a caller could not be ended')
    }
  }

  /**
   * From here on others see what the caller waits for. Whoever else waits as the agent leaves
   * its program as it is.
   */
  const hold = ({ kind, actedBy, agent }: Caller, name: string): Promise<() => Promise<void>> =>
    kind === 'human' || actedBy !== undefined
      ? Promise.resolve(async () => {})
      : blockingCalls.begin(agent, `subagent ${name}`)

  const begin = async (caller: Caller, options: Started): Promise<Agent> => {
    starting++
    try {
      const child = await sessions.start(caller, options)
      awaited.add(child.id)
      return child
    } finally {
      starting--
    }
  }

  const run = async (
    caller: Caller,
    options: Started,
    description: string,
    call: SubagentCall,
  ): Promise<Ended> => {
    // What it does is shown to whoever waits for its caller as well.
    await progress.settled(caller.agent)
    if (call.signal.aborted) throw gone()
    const mode = options.kind === 'delegate' ? 'delegate' : 'spawn'
    const reports = progress.begin(caller.agent.id, { mode, description }, call.progress)
    let outcome: Parameters<typeof reports.ended>[0] = { success: false, turns: null, reason: null }
    try {
      const release = await hold(caller, options.name)
      try {
        const child = await begin(caller, options)
        reports.started(child.id)
        const ended = await sessions
          .ended(child.id, call.signal)
          .catch(async (thrown: unknown) => {
            await end(
              caller,
              child,
              call.signal.aborted ? 'its caller went away' : 'its end could not be waited for',
            )
            throw call.signal.aborted ? gone() : thrown
          })
          .finally(() => awaited.delete(child.id))
        const isStopped = hitLimit(ended, options.maxTurns ?? null)
        outcome = {
          success: ended.status === 'completed' || isStopped,
          turns: ended.turns,
          reason: whyOf(ended),
        }
        if (!outcome.success) throw failure(description, ended)
        return ended
      } finally {
        await release()
      }
    } catch (thrown) {
      if (outcome.reason === null)
        outcome = { ...outcome, reason: thrown instanceof Error ? thrown.message : String(thrown) }
      throw thrown
    } finally {
      reports.ended(outcome)
    }
  }

  return {
    requireDepth: async (caller) => {
      const { config } = await settings.snapshot()
      await requireDepth(config, caller)
    },

    spawn: async (caller, { task, description, maxTurns, systemPrompt }, call) => {
      const began = clock()
      const { config } = await settings.snapshot()
      const { depth, limit } = await requireDepth(config, caller)
      const isDeepest = depth + 1 >= limit
      const ended = await run(
        caller,
        {
          kind: 'spawn',
          name: sessionName(description),
          task,
          tools: isDeepest ? toolsAtLimit(config, caller.agent) : null,
          maxTurns,
          systemPrompt: systemPrompt ?? null,
        },
        description,
        call,
      )
      const text = hitLimit(ended, maxTurns) ? withLimit(textOf(ended), maxTurns) : textOf(ended)
      return answer(text, ended.turns, clock() - began)
    },

    delegate: async (caller, { task, description, serverName, agentId }, call) => {
      const began = clock()
      const { config } = await settings.snapshot()
      await requireDepth(config, caller)
      if (serverName !== undefined) requireServer(config, serverName)
      const ended = await run(
        caller,
        {
          kind: 'delegate',
          name: sessionName(description),
          task,
          tools: null,
          noTools: true,
          acp: serverName ?? null,
          mode: agentId ?? null,
        },
        description,
        call,
      )
      return answer(textOf(ended), 1, clock() - began)
    },

    endLost: async (why) => {
      const agents = await store.agents.list()
      // One of them may be in the list, and nobody knows yet which.
      if (starting > 0) return
      const lost = agents.filter(
        ({ id, kind, state }) =>
          (kind === 'spawn' || kind === 'delegate') && isAlive(state) && !awaited.has(id),
      )
      for (const child of lost) {
        const parent = agents.find(({ id }) => id === child.parentId)
        if (parent === undefined) continue
        // Its own subagents end with it.
        if (!isAlive((await store.agents.get(child.id))?.state ?? 'killed')) continue
        log.info(
          { agent: child.id, parent: parent.id },
          'a subagent whose caller’s call is gone is ended',
        )
        await end({ kind: 'agent', agent: parent }, child, why)
      }
    },
  }

  /** All that it would have, without those that nest. */
  function toolsAtLimit(config: Config, parent: Agent): string[] {
    const own = config.acp[acpNameOf(sessionProgram(config, parent, null)) ?? '']?.tools
    return toolsOf(config, parent).filter(
      (name) => !SUBAGENT_TOOLS.includes(name) && (own === undefined || own.includes(name)),
    )
  }

  function requireServer({ acp }: Config, name: string): void {
    if (Object.hasOwn(acp, name)) return
    const servers = Object.keys(acp).toSorted()
    throw new ExomonadError(
      'INVALID_ARG',
      `serverName: there is no [acp.${name}]. There are: ${servers.join(', ')}.`,
      {
        field: 'serverName',
        found: name,
        servers,
      },
    )
  }
}

const answer = (text: string, turns: number, durationMs: number): SubagentAnswer => ({
  text,
  turns,
  durationMs,
})

/** The model’s last words. */
const textOf = ({ output, summary }: Ended): string => (output === '' ? summary : output)

/**
 * In the words of the protocol; an agent that knows no such reason was cancelled when it had taken
 * its turns.
 */
const hitLimit = ({ status, turns, reason }: Ended, maxTurns: number | null): boolean =>
  maxTurns !== null &&
  status !== 'killed' &&
  (reason === 'max_turn_requests' || (reason === 'cancelled' && turns >= maxTurns))

const withLimit = (text: string, maxTurns: number): string =>
  `${text}${text === '' ? '' : '\n\n'}[The subagent was stopped: its limit of ${maxTurns} turn${maxTurns === 1 ? '' : 's'} was reached before it had finished. ${text === '' ? 'It had said nothing by then.' : 'Above is what it had said by then.'}]`

/** Of one that did not complete: its summary says what became of it. */
const whyOf = ({ summary, reason, status }: Ended): string =>
  summary === '' ? (reason ?? status) : summary

const failure = (description: string, ended: Ended): ExomonadError => {
  const { agent_id, status, output, turns } = ended
  const reason = whyOf(ended)
  return new ExomonadError(
    'SUBAGENT_FAILED',
    `The subagent “${description}” ${status === 'killed' ? 'was killed' : 'failed'}: ${reason}`,
    {
      ...{ agent_id, status, reason, turns },
      partial: output === reason ? '' : output,
    },
  )
}

const gone = (): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    'The caller went away before its subagent had answered: the subagent was ended.',
  )
