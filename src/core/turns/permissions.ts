import type { Config } from '../../config/schema.ts'
import type { AgentCli } from '../../adapters/agent-cli/agent-cli.ts'
import type { HookFact, HookOutcome } from '../../adapters/agent-cli/hook-dialect.ts'
import type { Agent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Approvals } from '../questions/approvals.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { LiveAgentOf } from '../agents/live-agent.ts'
import type { States } from '../agents/states.ts'
import { waitsForPerson } from '../agents/waits-for-person.ts'

type Question = Extract<HookFact, { kind: 'permission' }>
type ToolEnd = Extract<HookFact, { kind: 'tool-end' }>
interface Entry {
  readonly question: Question
  readonly drop: AbortController
}

/**
 * What an agent CLI would ask a person about, by the policy of the agent’s role. Nothing is allowed
 * that nobody chose to allow.
 */
export interface Permissions {
  /** The program asks. Returns when somebody decided, or at once where nobody can from here. */
  asked(
    config: Pick<Config, 'roles'>,
    caller: Caller,
    cli: AgentCli,
    event: string,
    question: Question,
    report: { at?: number; signal?: AbortSignal },
  ): Promise<HookOutcome>
  /**
   * Its hooks show that the question (which this is the end of, or any) is off the table: answered
   * in its terminal.
   */
  settled(agentId: AgentId, by?: Pick<ToolEnd, 'tool' | 'settles'>): void
  /** A question of its program waits for the human’s answer. */
  pending(agentId: AgentId): boolean
}

const NONE: HookOutcome = { kind: 'none' }
const LONGEST = 500

export function createPermissions(
  deps: Pick<Deps, 'store' | 'log'> & {
    states: States
    approvals: Approvals
    live: LiveAgentOf
  },
): Permissions {
  const { store, log, states, approvals } = deps
  const questions = new Map<AgentId, Set<Entry>>()

  /** Puts it to the human; undefined where it was settled without. */
  const ask = async (agent: Agent, question: Question, signal: AbortSignal | undefined) => {
    const entry: Entry = { question, drop: new AbortController() }
    const mine = questions.get(agent.id) ?? new Set()
    questions.set(agent.id, mine.add(entry))
    // With its program the question is gone, and one that rests asks nothing.
    const stopWatching = store.subscribe(agent.id, () => {
      void store.agents.get(agent.id).then(
        (now) => {
          if (now === undefined || now.state === 'idle' || !isAlive(now.state)) entry.drop.abort()
        },
        () => {},
      )
    })
    try {
      return await approvals.requestPermission(
        agent,
        wording(question),
        signal === undefined ? entry.drop.signal : AbortSignal.any([signal, entry.drop.signal]),
      )
    } finally {
      stopWatching()
      mine.delete(entry)
      if (mine.size === 0) questions.delete(agent.id)
      // Where only the hook gave up, the question may stand in the terminal: its next hook shows
      // it.
      if (mine.size === 0 && (signal?.aborted !== true || entry.drop.signal.aborted)) {
        await states.change(agent.id, {
          to: 'running',
          source: 'human',
          actor: agent.id,
          onlyIf: (now) =>
            now.state === 'waiting' &&
            now.stateSource === 'hook' &&
            now.stateReason === reasonOf(question),
        })
      }
    }
  }

  const reply = async (
    agent: Agent,
    cli: AgentCli,
    id: string,
    decision: 'allow' | 'deny',
    reason: string | null = null,
  ): Promise<void> => {
    await cli.answerPermission?.(
      await deps.live(agent),
      id,
      decision,
      ...(reason === null ? [] : [reason]),
    )
  }

  return {
    pending: (agentId) => questions.has(agentId),
    settled: (agentId, by) => {
      const open = [...(questions.get(agentId) ?? [])]
      for (const { drop } of by === undefined ? open : settledBy(open, by)) drop.abort()
    },
    asked: async (config, { agent }, cli, event, question, { at, signal }) => {
      const reason = reasonOf(question)
      const policy = policyOf(cli, config.roles[agent.role]?.permissions.policy)
      const byHook =
        (cli.hooks?.answer(event, { kind: 'permission', decision: 'allow' }) ?? null) !== null
      const { id } = question
      const byInterface = id !== undefined && cli.answerPermission !== undefined ? id : null
      if (
        at !== undefined ||
        (policy !== 'ask' && policy !== 'all') ||
        (!byHook && byInterface === null)
      ) {
        await waitsForPerson(states, agent, reason, 'hook', { ...(at === undefined ? {} : { at }) })
        return NONE
      }
      const failed = (thrown: unknown) =>
        log.warn(
          { err: thrown, agent: agent.id },
          'a permission question could not be answered; it stands in the agent’s terminal',
        )
      if (policy === 'all') {
        if (byInterface === null) return { kind: 'permission', decision: 'allow' }
        await reply(agent, cli, byInterface, 'allow').catch(failed)
        return NONE
      }
      await states.change(agent.id, { to: 'waiting', reason, source: 'hook', actor: agent.id })
      if (byInterface !== null) {
        // Its hook does not wait: the answer reaches it through its interface.
        ask(agent, question, undefined)
          .then((answer) =>
            answer === undefined
              ? undefined
              : reply(
                  agent,
                  cli,
                  byInterface,
                  answer.decision === 'approved' ? 'allow' : 'deny',
                  answer.reason,
                ),
          )
          .catch(failed)
        return NONE
      }
      const answer = await ask(agent, question, signal)
      if (answer === undefined) return NONE
      return {
        kind: 'permission',
        decision: answer.decision === 'approved' ? 'allow' : 'deny',
        ...(answer.reason === null ? {} : { reason: answer.reason }),
      }
    },
  }
}

/**
 * Of several about one tool those that the program names. One with an id is settled by that alone:
 * the program says so of it before its tool ends. Where it names none, only one can be meant.
 */
function settledBy(
  open: readonly Entry[],
  { tool, settles }: Pick<ToolEnd, 'tool' | 'settles'>,
): readonly Entry[] {
  if (settles !== undefined && 'id' in settles)
    return open.filter(({ question }) => question.id === settles.id)
  const about = open.filter(({ question }) => question.tool === tool && question.id === undefined)
  if (settles !== undefined)
    return about.filter(({ question }) => question.detail === settles.detail)
  return about.length === 1 ? about : []
}

/** Without a terminal whatever nobody decided beforehand is the human’s to decide. */
const policyOf = (cli: AgentCli, policy: 'off' | 'ask' | 'list' | 'all' = 'off'): typeof policy =>
  cli.hasNoTerminal === true && policy !== 'all' ? 'ask' : policy

/** Programs without a terminal call a tool by what it is to do: that is said once. */
const wording = ({ tool, detail }: Question): string =>
  `use ${tool}${detail === '' || detail === tool ? '' : `: ${detail.length > LONGEST ? `${detail.slice(0, LONGEST)}…` : detail}`}`
const reasonOf = (question: Question): string => `permission to ${wording(question)}`.slice(0, 200)
