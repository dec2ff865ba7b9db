import type { TreeNode, TreeView } from '../../core/core.ts'
import type { Client, WireEvent } from '../client.ts'
import type { CliContext, OutputStream } from './context.ts'
import { createLiveScreen } from './live-screen.ts'
import { pause } from './pause.ts'
import { headlessTops, sessionLines, type ToolCall } from './session-lines.ts'

/** Milliseconds between redraws, and reads of the tree. */
const REDRAW = 250
const REREAD = 500
/** Calls that are remembered of each agent. */
const KEPT = 20

/** Sessions and processes with what they do, live, until the signal; then it is erased, or stays as it was last (`keep`). */
export async function watchSessions(
  context: CliContext,
  client: Client,
  { under, stream, signal, keep = false }: { under: string | undefined; stream: OutputStream; signal: AbortSignal; keep?: boolean },
): Promise<void> {
  const screen = createLiveScreen(stream)
  const calls = new Map<string, readonly ToolCall[]>()
  let nodes: readonly TreeNode[] | undefined
  let readAt = context.now()
  let frame = 0
  const draw = (): void => {
    if (nodes === undefined) return
    const options = { width: stream.columns ?? 80, palette: context.palette(), now: context.now(), readAt, frame, calls }
    const lines = nodes.length === 0 ? [options.palette.dim('No sessions, no processes')] : sessionLines(nodes, options)
    screen.draw(lines.slice(-Math.max(1, (stream.rows ?? 24) - 1)))
  }
  const listen = async (): Promise<void> => {
    try {
      for await (const event of client.events({ follow: true, last: 0, types: ['agent.tool'], signal })) noteCall(calls, event)
    } catch {
      // What it does is not told then; that it goes on is.
    }
  }
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      const view = await client.callTool<TreeView>('tree', {}, { signal }).catch(() => undefined)
      if (view !== undefined) {
        readAt = context.now()
        const one = under === undefined ? undefined : nodeWith(view.root, under)
        nodes = under === undefined ? headlessTops(view.root) : one === undefined ? [] : [one]
      }
      draw()
      await pause(REREAD, signal)
    }
  }
  const onResize = (): void => {
    screen.reset()
    draw()
  }
  const redraw = setInterval(() => {
    frame++
    draw()
  }, REDRAW)
  stream.on?.('resize', onResize)
  try {
    await Promise.all([listen(), look()])
  } finally {
    clearInterval(redraw)
    stream.off?.('resize', onResize)
    if (!keep) screen.erase()
    screen.end()
  }
}

/** Takes note of a call that began, or of the end of the oldest one like it that goes on. */
export function noteCall(calls: Map<string, readonly ToolCall[]>, { agentId, at, type, payload }: WireEvent): void {
  if (agentId === null || type !== 'agent.tool') return
  const { tool, detail, phase, status } = payload as { tool?: unknown; detail?: unknown; phase?: unknown; status?: unknown }
  const before = calls.get(agentId) ?? []
  const call: ToolCall = { tool: String(tool ?? ''), detail: String(detail ?? ''), from: at, to: null, failed: false }
  if (phase === 'started') return void calls.set(agentId, [...before, call].slice(-KEPT))
  const same = (one: ToolCall): boolean => one.to === null && one.tool === call.tool
  const index = Math.max(
    before.findIndex((one) => same(one) && one.detail === call.detail),
    // Its title may have become another while it went on.
    before.some((one) => same(one) && one.detail === call.detail) ? -1 : before.findIndex(same),
  )
  calls.set(
    agentId,
    before.map((one, position) => (position === index ? { ...one, to: at, failed: status === 'failed' } : one)),
  )
}

const nodeWith = (node: TreeNode, id: string): TreeNode | undefined =>
  node.id === id ? node : node.children.map((child) => nodeWith(child, id)).find((found) => found !== undefined)
