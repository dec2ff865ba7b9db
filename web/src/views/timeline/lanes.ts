import { waitsWithin, WAIT_TYPES, type Wait } from '../../../../src/surfaces/text/log/waited.ts'
import type { TreeNode } from '../../../../src/core/agents/tree-document.ts'
import type { WireEvent } from '../../../../src/surfaces/client.ts'
import type { Range } from './ranges.ts'

/** What is drawn on a lane: its word, its tone, and the sign that stands for it. */
const MARKS = {
  'agent.spawned': ['spawned', 'dim', '┃'],
  'pr.opened': ['filed', 'link', '○'],
  'pr.merged': ['merged', 'special', '◆'],
  'agent.completed': ['done', 'good', '✓'],
  'agent.failed': ['failed', 'bad', '✗'],
  'agent.killed': ['killed', 'dim', '✗'],
  'question.asked': ['asked', 'attention', '?'],
  'approval.requested': ['asked', 'attention', '?'],
  'agent.waiting': ['asked', 'attention', '!'],
  'ci.passed': ['checks green', 'good', '●'],
  'ci.failed': ['checks red', 'bad', '●'],
  'landing.red': ['checks red', 'bad', '●'],
  'fold.red': ['checks red', 'bad', '●'],
  'conflict.foretold': ['conflict', 'attention', '⚠'],
  'pr.conflict': ['conflict', 'attention', '⚠'],
} as const satisfies Readonly<Record<string, readonly [string, string, string]>>

export const LANE_TYPES: readonly string[] = [...new Set([...Object.keys(MARKS), ...WAIT_TYPES])]

/** The signs, each once, for whoever asks what they mean. */
export const LEGEND = [...new Map(Object.values(MARKS).map((mark) => [mark[0], mark])).values()]

export interface Mark {
  readonly seq: number
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly word: string
  readonly tone: string
  readonly sign: string
  /** How many of the kind lie so close together that one stands for them. */
  readonly count: number
}

export interface Lane {
  readonly agentId: string
  readonly marks: readonly Mark[]
  readonly waits: readonly Wait[]
  /** When it was there, as much of it as lies in the stretch. */
  readonly from: number
  readonly to: number
}

/** Of the whole width: marks of a kind that are closer than that are one. */
const CLOSE = 0.008

/** Where the lanes begin: of a long time in which nothing happened first, only the end is drawn. */
export function beginOf(events: readonly WireEvent[], { since }: Range, end: number): number {
  const first = events.find(({ at, agentId }) => agentId !== null && at >= since)?.at
  return first === undefined ? since : Math.max(since, first - Math.max(1000, (end - first) * 0.02))
}

/** A lane for each agent that something happened to, in the order of the tree. */
export function lanesOf(
  events: readonly WireEvent[],
  nodes: readonly TreeNode[],
  { since, until }: Range,
  now: number,
): Lane[] {
  const end = until ?? now
  const asking = new Set(
    nodes
      .filter(({ turn, open_questions: questions }) => turn === 'human' && questions > 0)
      .map(({ id }) => id as string),
  )
  const waits = Map.groupBy(
    waitsWithin(events, { since, now: end, asking }),
    ({ agentId }) => agentId,
  )
  const known = new Map(nodes.map((node, index) => [node.id as string, { node, index }]))
  const within = events.filter(({ at, agentId }) => agentId !== null && at >= since && at <= end)
  const byAgent = Map.groupBy(within, ({ agentId }) => agentId ?? '')
  const lanes = [...new Set([...byAgent.keys(), ...waits.keys()])].map((agentId): Lane => {
    const own = byAgent.get(agentId) ?? []
    const age = known.get(agentId)?.node.age_seconds
    const born =
      own.find(({ type }) => type === 'agent.spawned')?.at ??
      (age === undefined ? (own[0]?.at ?? since) : now - age * 1000)
    const died = own.findLast(({ type }) => ENDS.has(type))?.at
    return {
      agentId,
      marks: marksOf(own, (end - since) * CLOSE),
      waits: waits.get(agentId) ?? [],
      from: Math.min(Math.max(born, since), end),
      to: died ?? end,
    }
  })
  const order = ({ agentId }: Lane): number => known.get(agentId)?.index ?? nodes.length
  return lanes
    .filter(({ marks, waits: own }) => marks.length + own.length > 0)
    .toSorted((one, other) => order(one) - order(other))
}

const ENDS: ReadonlySet<string> = new Set(['agent.completed', 'agent.failed', 'agent.killed'])

function marksOf(events: readonly WireEvent[], close: number): Mark[] {
  const marks: Mark[] = []
  const latest = new Map<string, number>()
  for (const { seq, at, type } of events) {
    if (!Object.hasOwn(MARKS, type)) continue
    const [word, tone, sign] = MARKS[type as keyof typeof MARKS]
    const before = latest.get(word)
    const last = before === undefined ? undefined : marks[before]
    if (before !== undefined && last !== undefined && at - last.at < close) {
      marks[before] = { ...last, count: last.count + 1 }
    } else {
      latest.set(word, marks.length)
      marks.push({ seq, at, word, tone, sign, count: 1 })
    }
  }
  return marks
}
