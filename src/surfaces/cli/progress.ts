import type { CliContext } from './context.ts'
import { FRAMES, FRAME_EVERY } from '../../../packages/subagents/src/terminal/spinner.ts'

/** Work that is done sooner than this shows no spinner. Milliseconds. */
const SPINNER_AFTER = 150

/**
 * Shows that work goes on: a spinner on a terminal, a plain line elsewhere, nothing with --json. On
 * stderr, so that results stay clean. Returns the result of the work; the spinner is gone by then.
 */
export async function withProgress<Result>(
  context: CliContext,
  label: string | (() => string),
  work: Promise<Result>,
): Promise<Result> {
  const { stderr } = context.terminal
  const words = typeof label === 'string' ? () => label : label
  if (context.options().json) return work
  if (stderr.isTTY !== true || context.environment.ci) {
    const late = setTimeout(() => stderr.write(`${words()} …\n`), SPINNER_AFTER)
    return work.finally(() => clearTimeout(late))
  }
  const palette = context.palette(stderr)
  const started = context.now()
  let frame = 0
  let shown = false
  const timer = setInterval(() => {
    const seconds = Math.floor((context.now() - started) / 1000)
    if (context.now() - started < SPINNER_AFTER) return
    shown = true
    stderr.write(
      `\r\u001b[2K${palette.active(FRAMES[frame++ % FRAMES.length] ?? '')} ${words()}${seconds >= 2 ? palette.dim(` ${seconds}s`) : ''}`,
    )
  }, FRAME_EVERY)
  try {
    return await work
  } finally {
    clearInterval(timer)
    if (shown) stderr.write('\r\u001b[2K')
  }
}
