import type { Client } from '../../client.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { quoteWord } from '../../text/shell-quote.ts'
import { readStatus } from './agent-status.ts'

/** What runs now, by its name, and what shows more of it: `hint` is given the name as a word. */
export async function startedLines(
  { client, palette }: { client: Client; palette: Palette },
  id: string,
  hint: (word: string) => string,
): Promise<string[]> {
  const { name } = await readStatus(client, id)
  return [
    `${palette.good('✓')} Started ${palette.bold(printableLine(name))} ${palette.dim(id)}`,
    palette.dim(hint(quoteWord(name))),
  ]
}
