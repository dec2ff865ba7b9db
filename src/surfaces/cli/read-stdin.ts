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

/** The words of a message argument, or standard input for `-`. UsageError where it is empty. */
export async function readMessage(
  context: CliContext,
  words: readonly string[],
  what = 'message',
): Promise<string> {
  const text =
    words.length === 1 && words[0] === '-' ? (await readStdin(context)).trimEnd() : words.join(' ')
  if (text.trim() === '') throw new UsageError(`The ${what} is empty.`)
  return text
}
