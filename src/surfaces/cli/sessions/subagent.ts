import type { Command } from 'commander'
import { ExomonadError } from '../../../domain/errors.ts'
import type { ToolInput, ToolResult } from '../../../tools/types.ts'
import type { CallOptions, Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { present, writeLines } from '../output.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { readMessage } from '../read-stdin.ts'
import { watchSubagents } from './subagent-watch.ts'
import { cut } from '../../text/width.ts'

const TASK = 'What it is to do, with all that it needs to know; - reads it from standard input'
const DESCRIPTION = 'What it does in a few words, for displays; default: the beginning of the task'
const ENDED =
  'Shows what it and its own subagents do, then prints its answer. Ctrl-C ends it,\nand all below it.'

export function define(command: Command, context: CliContext): void {
  command
    .command('spawn')
    .description(
      'Have a subagent do a task of several steps, with your tools and in your worktree, and wait for its answer',
    )
    .argument('<task...>', TASK)
    .option('-d, --description <text>', DESCRIPTION)
    .option('-n, --max-turns <number>', 'After so many turns it is stopped', turns, 10)
    .option('-s, --system-prompt <text>', 'Goes in front of all that it is sent')
    .addHelpText('after', `\n${ENDED}`)
    .action(
      async (
        words: string[],
        options: { description?: string; maxTurns: number; systemPrompt?: string },
      ) => {
        const task = await readMessage(context, words, 'task')
        const input: ToolInput<'subagent_spawn'> = {
          task,
          description: describe(task, options.description),
          maxTurns: options.maxTurns,
          ...(options.systemPrompt === undefined ? {} : { systemPrompt: options.systemPrompt }),
        }
        await run(context, input.description, (client, asked) =>
          client.call('subagent_spawn', input, asked),
        )
      },
    )
  command
    .command('delegate')
    .description('Put one prompt to another agent program, and print its one answer')
    .argument('<task...>', TASK)
    .option('-d, --description <text>', DESCRIPTION)
    .option(
      '--server <acp>',
      'The [acp.NAME] to ask; default: the one that belongs to your own program',
    )
    .option('--agent <mode>', 'A mode that it offers; default: its own')
    .addHelpText(
      'after',
      '\nIt knows nothing but the prompt, and has no tools of exomonad’s. Ctrl-C ends it.',
    )
    .action(
      async (
        words: string[],
        options: { description?: string; server?: string; agent?: string },
      ) => {
        const task = await readMessage(context, words, 'task')
        const input: ToolInput<'subagent_delegate'> = {
          task,
          description: describe(task, options.description),
          ...(options.server === undefined ? {} : { serverName: options.server }),
          ...(options.agent === undefined ? {} : { agentId: options.agent }),
        }
        await run(context, input.description, (client, asked) =>
          client.call('subagent_delegate', input, asked),
        )
      },
    )
}

const LONGEST = 60

const describe = (task: string, given: string | undefined): string =>
  cut(printableLine(given ?? task), given === undefined ? LONGEST : 200)

function turns(text: string): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= 1) return number
  throw new UsageError(`"${text}" is no number of turns: a whole number from 1 on.`)
}

async function run(
  context: CliContext,
  description: string,
  call: (
    client: Client,
    options: CallOptions,
  ) => Promise<ToolResult<'subagent_spawn' | 'subagent_delegate'>>,
): Promise<void> {
  const client = await context.client()
  const answer = await interruptible(context, async (signal) => {
    try {
      return await watchSubagents(context, description, (progress) =>
        call(client, { signal, progress }),
      )
    } catch (error) {
      if (signal.aborted) return undefined
      // What it had said by then is worth as much as an answer, at times.
      if (
        error instanceof ExomonadError &&
        error.code === 'SUBAGENT_FAILED' &&
        !context.options().json
      )
        tellPartial(context, error)
      throw error
    }
  })
  if (answer === undefined) {
    context.markFailed()
    writeLines(context.terminal.stderr, ['Interrupted: the subagent is ended.'])
    return
  }
  present(context, answer, () => printable(answer.text).trimEnd().split('\n'))
}

function tellPartial(context: CliContext, { facts }: ExomonadError): void {
  const { partial } = facts
  if (typeof partial === 'string' && partial.trim() !== '')
    writeLines(context.terminal.stdout, printable(partial).trimEnd().split('\n'))
}
