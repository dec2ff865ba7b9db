import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Agent, RunResult } from '../../domain/records.ts'
import type { Results } from '../agents/agent-result.ts'
import type { Deps } from '../deps.ts'
import { endOf, type Exit, type Exits } from '../agents/exits.ts'
import type { FinalOutput } from '../agents/final-output.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import type { Mailbox } from '../mail/mailbox.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { outcomeOf, processVerdict, turnVerdict, type Verdict } from './session-verdict.ts'
import type { StateChange, States } from '../agents/states.ts'

/**
 * Sessions and processes end with what they were started for: the result goes on record and the
 * parent is notified in the transaction that ends them, and only then is what the host keeps of
 * them let go.
 */
export interface SessionEnds {
  /** Its turn is over. Nothing happens where something waits that begins another one. */
  turnOver(agent: Agent): Promise<void>
  /** Its program ended by itself, or with its host. */
  programEnded(agent: Agent, exit: Exit, how: string): Promise<void>
  /** It ran longer than it may. */
  timedOut(agent: Agent): Promise<void>
  /** It ended, and what the host keeps of it was not let go: a crash came between. */
  letGo(agent: Agent): Promise<void>
}

export function createSessionEnds({
  store,
  multiplexer,
  files,
  clock,
  log,
  states,
  exits,
  panes,
  mailbox,
  results,
  finalOutput,
  readUsage,
  limits,
}: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'clock' | 'log'> & {
  states: States
  exits: Pick<Exits, 'keepTranscript'>
  panes: OwnPanes
  mailbox: Pick<Mailbox, 'sendIn'>
  results: Pick<Results, 'make'>
  finalOutput: (agent: Agent) => Promise<FinalOutput>
  /** What its conversation used: nobody can read that afterwards. */
  readUsage: (agent: Agent) => Promise<void>
  limits: Pick<LimitWatch, 'ended'>
}): SessionEnds {
  const letGo = async (agent: Agent): Promise<void> => {
    await panes.close(agent)
    await files.remove(agent.id)
    // Also what it had started in process groups of their own.
    await multiplexer.endLeftBehind(agent.id)
    await limits.ended(agent, { kill: true })
  }

  const end = async (
    agent: Agent,
    verdict: Verdict,
    {
      words,
      at,
      unless = async () => false,
      ...change
    }: { words: FinalOutput; at: number; unless?: (tx: StoreVerbs) => Promise<boolean> } & Pick<
      StateChange,
      'source' | 'patch' | 'onlyIf' | 'reason'
    >,
  ): Promise<void> => {
    const { success, summary } = verdict
    const status: RunResult['status'] = success ? 'completed' : 'failed'
    await exits.keepTranscript(agent)
    await readUsage(agent).catch((thrown: unknown) =>
      log.debug({ err: thrown, agent: agent.id }, 'what a session used could not be read'),
    )
    const outcome = agent.outcome ?? outcomeOf(verdict, words.text)
    const result = await results.make({ ...agent, outcome: null, endedAt: at }, words, {
      status,
      summary,
    })
    const ended = await store.transaction(async (tx) => {
      if (await unless(tx)) return undefined
      const now = await tx.agents.get(agent.id)
      const parent = agent.parentId === null ? undefined : await tx.agents.get(agent.parentId)
      const reports = now?.outcome === null
      // A subagent’s end is the answer of a call.
      const isMailed =
        reports &&
        (agent.kind === 'llm' || agent.kind === 'process') &&
        parent !== undefined &&
        (parent.kind === 'root' || isAlive(parent.state))
      if (isMailed && now !== undefined && isAlive(now.state) && (change.onlyIf?.(now) ?? true))
        await mailbox.sendIn(tx, agent, parent, JSON.stringify({ status: 'idle', ...outcome }))
      const changed = await states.change(
        agent.id,
        {
          ...change,
          to: status,
          at,
          actor: 'daemon',
          patch: { ...change.patch, outcome: now?.outcome ?? outcome, pid: null },
          events: () => (reports && !isMailed ? [eventOf(agent, verdict, words.text)] : []),
        },
        tx,
      )
      if (changed !== undefined) await tx.runs.finish(agent.id, result)
      return changed
    })
    if (ended === undefined) return
    await store.signal(agent.id)
    await letGo(agent)
  }

  const eventOf = ({ id, name }: Agent, { success, summary }: Verdict, text: string) =>
    success
      ? { type: 'agent.completed' as const, agentId: id, actor: id, payload: { name, summary } }
      : {
          type: 'agent.failed' as const,
          agentId: id,
          actor: id,
          payload: {
            name,
            exit_code: null,
            signal: null,
            reason: summary,
            last_lines: text.slice(-2_000),
          },
        }

  return {
    letGo,

    turnOver: async (agent) => {
      const waits = async ({ outbox }: Pick<StoreVerbs, 'outbox'>) =>
        (
          await outbox.list({
            ...{ recipient: agent.id, states: ['queued'] },
            ...{ reach: 'wake', limit: 1 },
          })
        ).length > 0 ||
        (await outbox.list({ recipient: agent.id, states: ['sent'], limit: 1 })).length > 0
      if (await waits(store)) return
      const words = await finalOutput(agent)
      // Which files it changed takes git a while, in which something may come.
      await end(agent, turnVerdict(agent, words), {
        words,
        // It idles since then.
        at: agent.stateAt,
        source: 'hook',
        unless: waits,
        onlyIf: (now) => now.state === agent.state && now.paneId === agent.paneId,
      })
    },

    programEnded: async (agent, exit, how) => {
      const at = endOf(exit, agent, clock())
      const words = await finalOutput(agent)
      const isProcess = agent.kind === 'process'
      // Whatever code a session’s program ends with: nobody asked it to.
      const verdict = isProcess
        ? processVerdict(exit, how, at - agent.spawnedAt)
        : { success: false, summary: how }
      await end(agent, verdict, {
        words,
        at,
        source: 'process',
        reason: isProcess ? verdict.summary : how,
        patch: { exitCode: exit.exitCode, exitSignal: exit.exitSignal },
        onlyIf: (now) => now.paneId === agent.paneId,
      })
    },

    timedOut: async (agent) => {
      const { deadline = null } = (await store.runs.get(agent.id)) ?? {}
      const limit =
        deadline === null ? '' : ` of ${Math.round((deadline - agent.spawnedAt) / 1000)} s`
      const summary = `its time${limit} was over (timeout_secs)`
      await end(
        agent,
        { success: false, summary },
        {
          words: await finalOutput(agent),
          at: clock(),
          source: 'daemon',
          reason: summary,
          onlyIf: (now) => now.paneId === agent.paneId,
        },
      )
    },
  }
}
