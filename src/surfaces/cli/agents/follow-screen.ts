import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import { printable } from '../../text/printable.ts'
import type { CliContext } from '../context.ts'
import { interruptible } from '../interruptible.ts'
import { exactly } from '../output.ts'

const FOLLOW_EVERY = 250

/** Prints a pane’s text, and what is added to it, until Ctrl-C or the pane’s end. */
export async function followScreen(
  context: CliContext,
  client: Client,
  agent: string,
  lines: number,
): Promise<void> {
  await interruptible(context, async (signal) => {
    let shown: string[] = []
    while (!signal.aborted) {
      const screen = await client
        .call('screen', { agent, lines }, { signal })
        .catch((error: unknown) => {
          if (signal.aborted) return undefined
          throw error
        })
      if (screen === undefined) return
      const now = linesOf(screen)
      for (const line of newLines(shown, now)) exactly(context.terminal.stdout).write(`${line}\n`)
      shown = now
      if (!screen.live) return
      await new Promise((resolve) => setTimeout(resolve, FOLLOW_EVERY))
    }
  })
}

export const linesOf = (screen: ToolResult<'screen'>): string[] =>
  printable(screen.text).trimEnd().split('\n')

/**
 * What the later text has that the earlier one hadn’t: the lines after the longest end of the
 * earlier that the later begins with or holds.
 */
export function newLines(before: readonly string[], now: readonly string[]): readonly string[] {
  if (before.length === 0) return now
  for (let start = 0; start < before.length; start++) {
    const tail = before.slice(start)
    if (tail.length <= now.length && tail.every((line, index) => line === now[index]))
      return now.slice(tail.length)
  }
  return now
}
