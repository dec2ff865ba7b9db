import type { CliContext } from './context.ts'

/** Whether a person sits there who can be asked. */
export const canAsk = (context: CliContext): boolean =>
  context.terminal.stdin.isTTY === true &&
  context.terminal.stderr.isTTY === true &&
  !context.options().json &&
  !context.environment.ci

/**
 * Asks on the terminal; anything but y or yes is a no, the end of the input as well. May be asked
 * once in a run: it ends standard input.
 */
export async function confirm(context: CliContext, question: string): Promise<boolean> {
  context.terminal.stderr.write(`${question} [y/N] `)
  let answer = ''
  for await (const chunk of context.terminal.stdin) {
    answer += chunk.toString()
    if (answer.includes('\n')) break
  }
  return /^\s*y(es)?\s*$/i.test(answer.split('\n')[0] ?? '')
}
