import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { shortDuration } from '../../text/duration.ts'
import { createLiveScreen } from '../../../../packages/subagents/src/terminal/live-screen.ts'
import { keepDrawing } from '../../text/keep-drawing.ts'
import { pause } from '../pause.ts'
import { FRAME_EVERY, FRAMES } from '../../../../packages/subagents/src/terminal/spinner.ts'
import { statusLayer, type StatusRow } from '../agents/status-layer.ts'
import { cut } from '../../text/width.ts'

/**
 * Between looks at how the agents stand, milliseconds: what a person sees, while the wait itself is
 * woken.
 */
const LOOK_EVERY = 250

/**
 * How the agents stand that a wait is open for, live on the terminal above a spinner, until the
 * wait is over. Returns the result of the wait; what was drawn is gone by then.
 */
export async function watchWait<Result>(
  context: CliContext,
  client: Client,
  { agents, label }: { agents: readonly string[]; label: string },
  wait: Promise<Result>,
): Promise<Result> {
  const stream = context.terminal.stderr
  const screen = createLiveScreen(stream)
  const palette = context.palette(stream)
  const started = context.now()
  const over = new AbortController()
  let rows: readonly StatusRow[] | undefined
  let frame = 0

  const draw = (): void => {
    if (rows === undefined) return
    const width = stream.columns ?? 80
    const seconds = Math.floor((context.now() - started) / 1000)
    const spinner = `${FRAMES[frame % FRAMES.length] ?? ''} ${label} ${shortDuration(seconds)} (Ctrl-C ends it)`
    // One line stays free for the cursor, one is the spinner’s.
    const layer = statusLayer(rows, { width, palette, height: (stream.rows ?? 24) - 2 })
    screen.draw([...layer, palette.active(cut(spinner, width))])
  }
  const look = async (): Promise<void> => {
    for (;;) {
      // Where the daemon is away, or the agents’ names are ambiguous, the wait itself says so.
      const seen = await client
        .call('fan_in', { from_agents: agents }, { signal: over.signal })
        .catch(() => undefined)
      if (over.signal.aborted) return
      if (seen !== undefined) rows = seen.results
      draw()
      await pause(LOOK_EVERY, over.signal)
    }
  }
  const stopDrawing = keepDrawing({ stream, screen, every: FRAME_EVERY }, draw, () => void frame++)
  const looking = look()
  try {
    return await wait
  } finally {
    over.abort()
    stopDrawing()
    await looking
    screen.erase()
    screen.end()
  }
}
