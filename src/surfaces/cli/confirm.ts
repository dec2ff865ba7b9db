import type { InputStream } from '../text/terminal.ts'
import type { CliContext } from './context.ts'

/** Whether a person sits there who can be asked. */
export const canAsk = (context: CliContext): boolean =>
  context.terminal.stdin.isTTY === true &&
  context.terminal.stderr.isTTY === true &&
  !context.options().json &&
  !context.environment.ci

interface Typed {
  readonly lines: AsyncIterator<Uint8Array | string>
  /** What came behind the last line that was read. */
  rest: string
}

/** Of each input: it is read on where the last question ended. */
const inputs = new WeakMap<InputStream, Typed>()

/** Asks on the terminal; anything but y or yes is a no, the end of the input as well. */
export async function confirm(context: CliContext, question: string): Promise<boolean> {
  const { stdin, stderr } = context.terminal
  stderr.write(`${question} [y/N] `)
  const typed = inputs.get(stdin) ?? { lines: stdin[Symbol.asyncIterator](), rest: '' }
  inputs.set(stdin, typed)
  while (!typed.rest.includes('\n')) {
    const next = await typed.lines.next()
    if (next.done === true) break
    typed.rest += next.value.toString()
  }
  const [answer = '', ...rest] = typed.rest.split('\n')
  typed.rest = rest.join('\n')
  return /^\s*y(es)?\s*$/i.test(answer)
}
