import type { Command } from 'commander'
import { completionWords } from '../../../domain/formats/completion-message.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { shortDuration } from '../../text/duration.ts'
import { UsageError } from '../exit-codes.ts'
import { indented } from '../../text/indented.ts'
import { interruptible } from '../interruptible.ts'
import { present, writeLines } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'
import { STATUSES, STATUS_WIDTH } from '../agents/status-layer.ts'
import { waitArguments } from './wait-arguments.ts'
import { watchWait } from './wait-watch.ts'
import { pad } from '../../text/width.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument(
      '[timeout]',
      'How long: seconds, or a duration such as 90s or 5m; 0 takes what is there without waiting (default: 5m)',
    )
    .argument(
      '[agent...]',
      'Ids, branches or names of agents: waits until each has answered, idles or is dead; without any, for the next message of anyone',
    )
    .addHelpText(
      'after',
      '\nA timeout is a result too: the exit code is 0, and what has come by then is shown. Ctrl-C ends the wait, and no mail is lost by it.',
    )
    .action(async (first: string | undefined, rest: string[]) => {
      const { timeout, agents } = waitArguments(first === undefined ? [] : [first, ...rest])
      if (agents.some((agent) => agent.trim() === ''))
        throw new UsageError('The name of an agent is empty.')
      const client = await context.client()
      const input = { timeout, ...(agents.length === 0 ? {} : { from_agents: agents }) }
      const result = await interruptible(context, async (signal) => {
        const call = client.call('wait', input, { signal })
        const label =
          agents.length === 0 ? 'Waiting for mail' : `Waiting for ${plural(agents.length, 'agent')}`
        const live =
          agents.length > 0 &&
          context.terminal.stderr.isTTY === true &&
          !context.options().json &&
          !context.environment.ci
        try {
          return await (live
            ? watchWait(context, client, { agents, label }, call)
            : withProgress(context, label, call))
        } catch (error) {
          if (signal.aborted) return undefined
          throw error
        }
      })
      if (result === undefined) {
        context.markFailed()
        writeLines(context.terminal.stderr, ['The wait was interrupted; no mail was taken.'])
        return
      }
      present(context, result, () => describe(context, result, timeout))
    })
}

function describe(context: CliContext, result: ToolResult<'wait'>, timeout: number): string[] {
  const palette = context.palette()
  if ('results' in result) return result.results.flatMap((one) => fanInLines(context, one))
  if ('status' in result)
    return [timeout === 0 ? 'No mail' : `No mail came within ${shortDuration(timeout)}`]
  return [
    `${palette.active('●')} from ${palette.bold(printableLine(result.name))} ${palette.dim(printableLine(result.from))}`,
    ...indented(completionWords(result.message)),
  ]
}

type FanInResult = Extract<ToolResult<'wait'>, { results: unknown }>['results'][number]

function fanInLines(
  context: CliContext,
  { agent_id, name, status, message }: FanInResult,
): string[] {
  const palette = context.palette()
  const { text, colour } = STATUSES[status]
  return [
    `${palette[colour](pad(text, STATUS_WIDTH))}  ${palette.bold(printableLine(name))} ${palette.dim(printableLine(agent_id))}`,
    ...(message === undefined ? [] : indented(completionWords(message))),
  ]
}
