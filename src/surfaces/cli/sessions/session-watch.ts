import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { Client, WireEvent } from '../../client.ts'
import type { CliContext } from '../context.ts'
import type { OutputStream } from '../../text/terminal.ts'
import { createLiveScreen } from '../../../../packages/subagents/src/terminal/live-screen.ts'
import { keepDrawing } from '../../text/keep-drawing.ts'
import { pause } from '../pause.ts'
import { headlessTops, sessionLines } from '../../text/session-lines.ts'
import {
  foldSubagents,
  NO_SUBAGENTS,
  type SubagentTree,
} from '../../../../packages/subagents/src/terminal/subagent-tree.ts'

/** Milliseconds between redraws, and reads of the tree. */
const REDRAW = 250
const REREAD = 500
/** Tool calls from before that are looked at: those that go on began with one of them. */
const RECALLED = 500

/**
 * Sessions and processes with what they do, live, until the signal; then it is erased, or stays as
 * it was last (`keep`).
 */
export async function watchSessions(
  context: CliContext,
  client: Client,
  {
    under,
    stream,
    signal,
    keep = false,
  }: { under: string | undefined; stream: OutputStream; signal: AbortSignal; keep?: boolean },
): Promise<void> {
  const screen = createLiveScreen(stream)
  let known = NO_SUBAGENTS
  let nodes: readonly TreeNode[] | undefined
  let readAt = context.now()
  let frame = 0
  const draw = (): void => {
    if (nodes === undefined) return
    const options = {
      width: stream.columns ?? 80,
      palette: context.palette(),
      now: context.now(),
      readAt,
      frame,
      known,
    }
    const lines =
      nodes.length === 0
        ? [options.palette.dim('No sessions, no processes')]
        : sessionLines(nodes, options)
    screen.draw(lines.slice(-Math.max(1, (stream.rows ?? 24) - 1)))
  }
  const listen = async (): Promise<void> => {
    try {
      for await (const event of client.events({
        follow: true,
        last: RECALLED,
        types: ['agent.tool'],
        signal,
      }))
        known = noteCall(known, event)
    } catch {
      // What it does is not shown then; that it goes on is.
    }
  }
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      const view = await client.call('tree', {}, { signal }).catch(() => undefined)
      if (view !== undefined) {
        readAt = context.now()
        const one = under === undefined ? undefined : nodeWith(view.root, under)
        nodes = under === undefined ? headlessTops(view.root) : one === undefined ? [] : [one]
      }
      draw()
      await pause(REREAD, signal)
    }
  }
  const stopDrawing = keepDrawing({ stream, screen, every: REDRAW }, draw, () => void frame++)
  try {
    await Promise.all([listen(), look()])
  } finally {
    stopDrawing()
    if (!keep) screen.erase()
    screen.end()
  }
}

/** What is known of tool calls, after a further one began or ended. */
export function noteCall(
  known: SubagentTree,
  { agentId, at, type, payload }: WireEvent,
): SubagentTree {
  if (agentId === null || type !== 'agent.tool') return known
  const text = (key: string): string => (typeof payload[key] === 'string' ? payload[key] : '')
  const before = known.has(agentId)
    ? known
    : foldSubagents(known, {
        kind: 'started',
        id: agentId,
        at,
        parent: null,
        mode: 'spawn',
        description: text('name'),
      })
  const phase = payload['phase'] === 'ended' ? 'ended' : 'started'
  return foldSubagents(before, {
    kind: 'tool',
    id: agentId,
    at,
    tool: text('tool'),
    detail: text('detail'),
    phase,
    status: text('status') || null,
  })
}

const nodeWith = (node: TreeNode, id: string): TreeNode | undefined =>
  node.id === id
    ? node
    : node.children.map((child) => nodeWith(child, id)).find((found) => found !== undefined)
