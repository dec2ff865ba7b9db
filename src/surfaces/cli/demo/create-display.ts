import type { CliContext } from '../context.ts'
import { plainDisplay, silentDisplay, type Display } from './display.ts'
import { liveDisplay } from './live-display.ts'

/** The live tree on a terminal, lines elsewhere, nothing with --json. */
export function createDisplay(context: CliContext): Display {
  if (context.options().json) return silentDisplay()
  return context.terminal.stdout.isTTY === true && !context.environment.ci
    ? liveDisplay(context)
    : plainDisplay(context)
}
