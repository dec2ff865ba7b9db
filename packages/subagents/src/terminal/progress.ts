import { createLiveScreen } from './live-screen.ts'
import { createPalette } from './palette.ts'
import { foldSubagents, NO_SUBAGENTS, subagentRows } from './subagent-tree.ts'
import { guardCallbacks } from '../callbacks.ts'
import { isSubagentTool } from '../loop/child-registry.ts'
import type { SubagentCallbacks } from '../loop/types.ts'
import type { ToolArguments } from '../tools/tool-types.ts'

export interface SubagentProgressOptions {
  /** Of a terminal: `(text) => process.stderr.write(text)`. */
  readonly write: (text: string) => unknown
  /** Of the terminal, in characters; 80. */
  readonly columns?: number | undefined
  /**
   * Of the terminal, in lines; 24. Of a tree that is taller the oldest is shown, and the rest
   * counted.
   */
  readonly rows?: number | undefined
  /** Milliseconds since the epoch; Date.now. */
  readonly now?: (() => number) | undefined
  /** Default: no colour. */
  readonly color?: boolean | undefined
}

export interface SubagentProgress extends Required<{
  [Key in keyof SubagentCallbacks]: NonNullable<SubagentCallbacks[Key]>
}> {
  /**
   * Draws a last time and gives the cursor back, for a program that ends before its subagents do.
   */
  stop(): void
}

/** Between frames while something runs. Milliseconds. */
const FRAME_EVERY = 100
/** What is left free of the terminal, lines. */
const KEPT_FREE = 2

/**
 * Callbacks that show subagents on a terminal as a live tree: who runs, since when, with which
 * tools, below whoever started it. It redraws its own lines, and leaves the last ones standing when
 * nothing runs any more. Print nothing else meanwhile.
 */
export function createSubagentProgress(options: SubagentProgressOptions): SubagentProgress {
  const { write, columns = 80, rows = 24, now = Date.now, color = false } = options
  const palette = createPalette(color)
  const running = new Set<string>()
  /** Calls that are shown, by subagent and id. */
  const calls = new Map<string, { readonly tool: string; readonly detail: string }>()
  const key = (id: string, callId: string): string => JSON.stringify([id, callId])
  let tree = NO_SUBAGENTS
  let frame = 0
  const stream = { write: (text: string) => (notify('write', text), true) }
  let screen = createLiveScreen(stream)
  let timer: NodeJS.Timeout | undefined

  const draw = (): void =>
    screen.draw(
      subagentRows(tree, {
        now: now(),
        width: columns,
        palette,
        frame,
        height: Math.max(1, rows - KEPT_FREE),
      }),
    )
  // Nobody catches what a frame of the timer throws.
  const notify = guardCallbacks({ write, draw })
  /** What comes next stands below. */
  const settle = (): void => {
    clearInterval(timer)
    timer = undefined
    draw()
    screen.end()
    screen = createLiveScreen(stream)
    tree = NO_SUBAGENTS
    running.clear()
    calls.clear()
  }
  const take = (event: Parameters<typeof foldSubagents>[1]): void => {
    tree = foldSubagents(tree, event)
    draw()
  }
  const end = (id: string, turns: number | null, reason: string | null): void => {
    if (!running.delete(id)) return
    take({ kind: 'ended', id, at: now(), success: reason === null, turns, reason })
    if (running.size === 0) settle()
  }

  return {
    onSubagentStart: ({ id, description, mode, parentId }) => {
      running.add(id)
      take({ kind: 'started', id, at: now(), parent: parentId ?? null, mode, description })
      timer ??= setInterval(() => {
        frame += 1
        notify('draw')
      }, FRAME_EVERY).unref()
    },
    // Of its words only the answer counts, and that is the caller’s to show.
    onSubagentStreamDelta: () => {},
    onSubagentToolCallStart: (id, call) => {
      // A subagent’s own subagents stand there themselves.
      if (isSubagentTool(call.name)) return
      const shown = { tool: call.name, detail: detailOf(call.arguments) }
      calls.set(key(id, call.id), shown)
      take({ kind: 'tool', id, at: now(), ...shown, phase: 'started', status: null })
    },
    onSubagentToolCallEnd: (id, result) => {
      const shown = calls.get(key(id, result.id))
      if (shown === undefined) return
      calls.delete(key(id, result.id))
      take({
        kind: 'tool',
        id,
        at: now(),
        ...shown,
        phase: 'ended',
        status: result.isError ? 'failed' : 'completed',
      })
    },
    onSubagentComplete: (id, { turns }) => end(id, turns, null),
    onSubagentError: (id, error) => end(id, null, error.message),
    stop: () => {
      if (tree.size > 0) settle()
    },
  }
}

/** The argument where there is one, and else all of them. */
function detailOf(args: ToolArguments): string {
  const values = Object.values(args)
  if (values.length === 0) return ''
  return values.length === 1 && typeof values[0] === 'string' ? values[0] : JSON.stringify(args)
}
