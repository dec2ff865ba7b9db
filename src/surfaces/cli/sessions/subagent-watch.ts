import type { SubagentEvent } from '../../../core/sessions/subagent-progress.ts'
import type { CallOptions } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { createLiveScreen } from '../../../../packages/subagents/src/terminal/live-screen.ts'
import { keepDrawing } from '../../text/keep-drawing.ts'
import { writeLines } from '../output.ts'
import { FRAME_EVERY } from '../../../../packages/subagents/src/terminal/spinner.ts'
import {
  foldSubagents,
  NO_SUBAGENTS,
  progressLine,
  subagentRows,
} from '../../../../packages/subagents/src/terminal/subagent-tree.ts'

/**
 * Lines of the terminal that the tree leaves free: the cursor’s, and the one above where the
 * command stands.
 */
const KEPT_FREE = 2

/**
 * Shows what a call’s subagents do while it lasts: on a terminal a tree that is redrawn in place
 * and stays, as it was at the end, above what comes after; elsewhere a line for each thing; nothing
 * with --json. On stderr, so that results stay clean.
 */
export async function watchSubagents<Result>(
  context: CliContext,
  description: string,
  call: (progress: NonNullable<CallOptions['progress']>) => Promise<Result>,
): Promise<Result> {
  const { stderr } = context.terminal
  if (context.options().json) return call(() => {})
  if (stderr.isTTY !== true || context.environment.ci)
    return call((message) => writeLines(stderr, message === '' ? [] : [progressLine(message)]))

  const screen = createLiveScreen(stderr)
  const palette = context.palette(stderr)
  const began = context.now()
  // Until the daemon reports it.
  const waiting: SubagentEvent = {
    kind: 'started',
    id: '',
    at: began,
    parent: null,
    mode: 'spawn',
    description,
  }
  let tree = NO_SUBAGENTS
  let frame = 0
  const draw = (): void => {
    const shown = tree.size === 0 ? foldSubagents(tree, waiting) : tree
    screen.draw(
      subagentRows(shown, {
        now: context.now(),
        width: stderr.columns ?? 80,
        palette,
        frame,
        height: (stderr.rows ?? 24) - KEPT_FREE,
      }),
    )
  }
  const stopDrawing = keepDrawing(
    { stream: stderr, screen, every: FRAME_EVERY },
    draw,
    () => void frame++,
  )
  let isAnswered = false
  try {
    draw()
    const result = await call((_message, event) => {
      if (event !== undefined) tree = foldSubagents(tree, event)
    })
    isAnswered = true
    return result
  } finally {
    stopDrawing()
    // The end of what still runs was not reported: a spinner that stands still would say
    // otherwise.
    if (isAnswered || [...tree.values()].some(({ parent, end }) => parent === null && end !== null))
      draw()
    else screen.erase()
    screen.end()
  }
}
