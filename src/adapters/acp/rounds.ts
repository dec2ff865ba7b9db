import type { AcpTool, AcpToolStatus, AcpUpdate } from '../../../packages/subagents/src/acp/acp.ts'

/** A tool call as it stands. */
export interface Call {
  readonly id: string
  readonly title: string
  readonly kind: string | null
  readonly detail: string | null
}

/** What happened to a tool call. */
export type Report =
  | { readonly kind: 'started'; readonly call: Call }
  | {
      readonly kind: 'ended'
      readonly call: Call
      readonly status: 'completed' | 'failed' | 'cancelled'
      readonly output: string | null
    }

/** What a session’s updates amount to. */
export interface Rounds {
  readonly rounds: number
  readonly toolCalls: number
  readonly lastText: string
  /** A turn begins: what the model does next is a round of its own. */
  begin(): void
  /**
   * What it says of tool calls. Updates for calls that were never announced count as their
   * announcement; those of ended ones change nothing.
   */
  take(update: AcpUpdate): readonly Report[]
  /** The turn is over: what had not ended never will. */
  end(): readonly Report[]
  /** Of a call that is under way, for what asks permission for it. */
  call(tool: AcpTool): Call
}

const LONGEST_TEXT = 100_000
/** Of ended calls as many are remembered. */
const REMEMBERED = 1000

/**
 * Counts rounds of the model, which the protocol doesn’t do: a message, a thought or a new tool
 * call after all tool calls have ended begins the next.
 */
export function createRounds(): Rounds {
  const open = new Map<string, Call & { status: AcpToolStatus; output: string | null }>()
  const over = new Set<string>()
  let rounds = 0
  let toolCalls = 0
  let fresh = true
  let text = ''
  let textGoesOn = false

  const works = (): void => {
    if (fresh) rounds += 1
    fresh = false
  }
  const callOf = (tool: AcpTool): Call => {
    const before = open.get(tool.id)
    return {
      id: tool.id,
      title: tool.title ?? before?.title ?? tool.kind ?? 'a tool',
      kind: tool.kind ?? before?.kind ?? null,
      detail: tool.detail ?? before?.detail ?? null,
    }
  }
  const say = (more: string): void => {
    if (more === '') return
    text = textGoesOn ? text + more : more
    textGoesOn = true
    if (text.length > 2 * LONGEST_TEXT) text = text.slice(-LONGEST_TEXT)
  }
  const finish = (id: string): void => {
    open.delete(id)
    over.add(id)
    if (over.size > REMEMBERED) over.delete(over.values().next().value ?? '')
    if (open.size === 0) fresh = true
  }

  function takeTool(tool: AcpTool, first: boolean): Report[] {
    // An id that is announced again is another call.
    if (over.has(tool.id)) {
      if (!first) return []
      over.delete(tool.id)
    }
    const reports: Report[] = []
    const before = open.get(tool.id)
    if (before === undefined) {
      works()
      toolCalls += 1
      textGoesOn = false
    }
    const call = callOf(tool)
    const status = tool.status ?? before?.status ?? 'pending'
    const output = tool.output ?? before?.output ?? null
    open.set(tool.id, { ...call, status, output })
    if (before === undefined) reports.push({ kind: 'started', call })
    if (status === 'completed' || status === 'failed') {
      finish(tool.id)
      reports.push({ kind: 'ended', call, status, output })
    }
    return reports
  }

  return {
    get rounds() {
      return rounds
    },
    get toolCalls() {
      return toolCalls
    },
    get lastText() {
      return text.slice(-LONGEST_TEXT)
    },
    begin: () => {
      fresh = true
      textGoesOn = false
    },
    take: (update) => {
      switch (update.kind) {
        case 'message':
          if (update.text === '') return []
          if (fresh) textGoesOn = false
          works()
          say(update.text)
          return []
        case 'thought':
          works()
          textGoesOn = false
          return []
        case 'tool':
          return takeTool(update.tool, update.first)
        default:
          return []
      }
    },
    end: () => {
      const left = [...open.values()]
      for (const { id } of left) finish(id)
      return left.map(({ output, status: _, ...call }) => ({
        kind: 'ended',
        call,
        status: 'cancelled',
        output,
      }))
    },
    call: callOf,
  }
}
