import type { SubagentEvent } from '../../../packages/subagents/src/subagent-event.ts'
import type { Agent, StoredEvent } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'

export type { SubagentEvent }

export type ReportProgress = (message: string, event?: SubagentEvent) => void

/**
 * What is reported of one subagent, in this order: begun, started (or failed before that), ended.
 */
export interface SubagentReports {
  started(id: AgentId): void
  ended(end: { success: boolean; turns: number | null; reason: string | null }): void
}

/** Reports to the callers of subagents what these do, each all that is below it. */
export interface SubagentProgress {
  /**
   * Resolves once it is known whether a call waits for this agent. A subagent works from the moment
   * its program is there, and may have one of its own before its start is on record.
   */
  settled(agent: Pick<Agent, 'id' | 'kind'>): Promise<void>
  begin(
    caller: AgentId,
    what: { mode: 'spawn' | 'delegate'; description: string },
    report: ReportProgress,
  ): SubagentReports
}

interface Tracked {
  readonly description: string
  readonly report: ReportProgress
  /** The call of which its caller is the subagent. */
  readonly above: Tracked | undefined
  readonly began: number
  toolCalls: number
  waits: boolean
}

export function createSubagentProgress({
  publisher,
  clock,
}: Pick<Deps, 'publisher' | 'clock'>): SubagentProgress {
  const tracked = new Map<string, Tracked>()
  /**
   * Calls whose subagent is being started, and the events meanwhile of agents that nobody knows: it
   * may be theirs.
   */
  let starting = 0
  let early: StoredEvent[] = []
  /** Called when one of these starts is over. */
  const waiting: (() => void)[] = []

  const emit = (one: Tracked, event: SubagentEvent): void => {
    let depth = 0
    for (let at: Tracked | undefined = one; at !== undefined; at = at.above)
      at.report(wordsOf(one, event, depth++) ?? '', event)
  }

  const handle = (one: Tracked, { type, agentId, at, payload }: StoredEvent): void => {
    const id = agentId ?? ''
    if (type === 'agent.tool') {
      const event = toolEvent(id, at, payload)
      if (event.phase === 'started') one.toolCalls++
      emit(one, event)
      return
    }
    // While it waits in a call of its own, for a subagent perhaps, that is reported.
    const waits = payload['to'] === 'waiting' && payload['source'] !== 'tool'
    if (!waits && !one.waits) return
    one.waits = waits
    emit(one, { kind: 'waiting', id, at, reason: waits ? String(payload['reason'] ?? '') : null })
  }

  publisher.onEvent((event) => {
    if ((event.type !== 'agent.tool' && event.type !== 'agent.state') || event.agentId === null)
      return
    const one = tracked.get(event.agentId)
    if (one !== undefined) handle(one, event)
    else if (starting > 0) early.push(event)
  })

  return {
    settled: async ({ id, kind }) => {
      if (kind !== 'spawn' && kind !== 'delegate') return
      while (starting > 0 && !tracked.has(id))
        await new Promise<void>((resolve) => waiting.push(resolve))
    },

    begin: (caller, { mode, description }, report) => {
      const above = tracked.get(caller)
      const one: Tracked = {
        description,
        report,
        above,
        began: clock(),
        toolCalls: 0,
        waits: false,
      }
      let id: AgentId | undefined
      let isStarting = true
      starting++
      const settle = (): void => {
        if (!isStarting) return
        isStarting = false
        if (--starting === 0) early = []
        for (const look of waiting.splice(0)) look()
      }
      return {
        started: (agentId) => {
          id = agentId
          tracked.set(agentId, one)
          emit(one, {
            kind: 'started',
            id: agentId,
            at: one.began,
            parent: above === undefined ? null : caller,
            mode,
            description,
          })
          for (const event of early.filter((candidate) => candidate.agentId === agentId))
            handle(one, event)
          settle()
        },
        ended: (end) => {
          settle()
          if (id === undefined) return
          tracked.delete(id)
          emit(one, { kind: 'ended', id, at: clock(), ...end })
        },
      }
    },
  }
}

const toolEvent = (
  id: string,
  at: number,
  payload: Readonly<Record<string, unknown>>,
): SubagentEvent & { kind: 'tool' } => {
  const text = (key: string): string => (typeof payload[key] === 'string' ? payload[key] : '')
  return {
    kind: 'tool',
    id,
    at,
    tool: text('tool'),
    detail: text('detail'),
    phase: payload['phase'] === 'ended' ? 'ended' : 'started',
    status: text('status') === '' ? null : text('status'),
  }
}

/**
 * One line, indented as deep as the subagent is below the receiver of the report; undefined for
 * what is no line of its own.
 */
function wordsOf(
  { description, toolCalls, began }: Tracked,
  event: SubagentEvent,
  depth: number,
): string | undefined {
  const line = (mark: string, text: string): string =>
    `${'  '.repeat(depth)}${mark} ${oneLine(text)}`
  switch (event.kind) {
    case 'started':
      return line('●', description)
    case 'tool': {
      const what = toolWords(event)
      if (event.phase === 'started') return line('  ⎿', what)
      return event.status === 'failed' ? line('  ✗', `${what} failed`) : undefined
    }
    case 'waiting':
      return event.reason === null ? undefined : line('  ◐', `waits for a person: ${event.reason}`)
    case 'ended': {
      const counted = [
        ...(event.turns === null ? [] : [count(event.turns, 'turn')]),
        count(toolCalls, 'tool call'),
        `${Math.round((event.at - began) / 1000)} s`,
      ].join(', ')
      return event.success
        ? line('✓', `${description}: ${counted}`)
        : line('✗', `${description}: ${event.reason ?? 'it failed'} (${counted})`)
    }
  }
}

/**
 * What a tool call is called. One that has a subagent needs no detail: what that one does shows it.
 */
const toolWords = ({ tool, detail }: { readonly tool: string; readonly detail: string }): string =>
  detail === '' || tool.includes(detail) || /subagent_(spawn|delegate)/.test(tool)
    ? tool
    : `${tool} ${detail}`

const count = (number: number, one: string): string => `${number} ${one}${number === 1 ? '' : 's'}`

const LONGEST = 200
/**
 * Titles of tool calls are a program’s own words: without control characters, on one line, not
 * longer than a line.
 */
function oneLine(text: string): string {
  const plain = text
    .replace(/\p{Cc}+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST - 1)}…` : plain
}
