import { ExomonadError } from '../../../domain/errors.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { CallOptions } from '../../client.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { cut } from '../../text/width.ts'
import type { CliContext } from '../context.ts'
import { interruptible } from '../interruptible.ts'
import { writeLines } from '../output.ts'
import type { ToolTerminal } from '../tool-command.ts'
import { watchSubagents } from './subagent-watch.ts'

type Answer = ToolResult<'subagent_spawn' | 'subagent_delegate'>

const LONGEST = 60

/** What the commands of both tools do: show the subagent at work, then its answer. */
export const subagentTerminal = (
  tool: 'subagent_spawn' | 'subagent_delegate',
): ToolTerminal<'subagent_spawn' | 'subagent_delegate'> => ({
  prepare: (given) => ({ ...given, description: describe(given) }),
  call: ({ client, context, input }) =>
    run(context, input.description, (options) => client.call(tool, input, options)),
  show: ({ text }) => printable(text).trimEnd().split('\n'),
})

const describe = ({
  description = '',
  task = '',
}: {
  description?: string
  task?: string
}): string =>
  description === '' ? cut(printableLine(task), LONGEST) : cut(printableLine(description), 200)

/** Undefined where it was interrupted, which is printed. */
async function run(
  context: CliContext,
  description: string,
  call: (options: CallOptions) => Promise<Answer>,
): Promise<Answer | undefined> {
  const answer = await interruptible(context, async (signal) => {
    try {
      return await watchSubagents(context, description, (progress) => call({ signal, progress }))
    } catch (error) {
      if (signal.aborted) return undefined
      // What it had said by then is worth as much as an answer, at times.
      if (
        error instanceof ExomonadError &&
        error.code === 'SUBAGENT_FAILED' &&
        !context.options().json
      )
        printPartial(context, error)
      throw error
    }
  })
  if (answer === undefined) {
    context.markFailed()
    writeLines(context.terminal.stderr, ['Interrupted: the subagent is ended.'])
  }
  return answer
}

function printPartial(context: CliContext, { facts }: ExomonadError): void {
  const { partial } = facts
  if (typeof partial === 'string' && partial.trim() !== '')
    writeLines(context.terminal.stdout, printable(partial).trimEnd().split('\n'))
}
