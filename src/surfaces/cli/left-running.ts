import type { CliContext } from './context.ts'
import { writeLines } from './output.ts'
import { printableLine } from '../text/printable.ts'
import { quoteWord } from '../text/shell-quote.ts'

/** Ctrl-C ends the watching of something, which itself goes on: how to get back to it. */
export function leftRunning(context: CliContext, name: string): void {
  context.markFailed()
  const word = quoteWord(printableLine(name))
  writeLines(context.terminal.stderr, [
    `${printableLine(name)} runs on: exomonad logs ${word} -f follows it, exomonad kill ${word} ends it.`,
  ])
}
