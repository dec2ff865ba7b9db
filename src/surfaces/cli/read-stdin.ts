import type { CliContext } from './context.ts'
import { UsageError } from './exit-codes.ts'

/** All of standard input. UsageError where it is a terminal, since nothing would ever come. */
export async function readStdin(context: CliContext): Promise<string> {
  const { stdin } = context.terminal
  if (stdin.isTTY === true)
    throw new UsageError('“-” reads from a pipe or file, and standard input is a terminal.')
  const chunks: Buffer[] = []
  for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  return Buffer.concat(chunks).toString('utf8')
}

/** Words as one text, or standard input for `-`, without the line feeds at its end. */
export async function readWords(
  context: CliContext,
  words: readonly string[],
  isExact = false,
): Promise<string> {
  if (words.length !== 1 || words[0] !== '-') return words.join(' ')
  const text = await readStdin(context)
  return isExact ? text : text.trimEnd()
}
