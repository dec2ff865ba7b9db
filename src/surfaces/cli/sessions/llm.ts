import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { parseDuration } from '../../text/duration.ts'
import { UsageError } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { leftRunning } from '../left-running.ts'
import { present, writeLines } from '../output.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { readMessage } from '../read-stdin.ts'
import { readStatus } from './agent-status.ts'
import { resultFacts } from './result.ts'
import { quoteWord } from '../../text/shell-quote.ts'
import { resultOf, untilEnded } from './until-ended.ts'
import { watchSessions } from './session-watch.ts'

interface LlmOptions {
  readonly model?: string
  readonly timeout?: number
  readonly tool?: readonly string[]
  readonly context?: Readonly<Record<string, string>>
  readonly wait?: boolean
}

export function define(command: Command, context: CliContext): void {
  command
    .argument('<goal...>', 'What it is to find out or do; - reads it from standard input')
    .option('-m, --model <name>', 'Another model than yours, in the words of its program')
    .option(
      '-t, --timeout <duration>',
      'It fails when it has taken so long: seconds, or a duration such as 90s or 10m',
      duration,
    )
    .option(
      '--tool <tool>',
      'Of your tools only this one, and others by further --tool',
      (tool: string, before?: readonly string[]) => [...(before ?? []), tool],
    )
    .option(
      '-c, --context <key=value>',
      'Something that it is to know; may be repeated',
      keyAndValue,
    )
    .option('-w, --wait', 'Show what it does until it is done, and print its answer')
    .addHelpText(
      'after',
      `
A session is a conversation of its own in your worktree, without a terminal. It
knows its goal and what --context gives it, nothing else, and ends with its
answer.

  exomonad llm --wait "Which functions of src/ have no test?"
  git diff | exomonad llm - --context branch=main --timeout 10m

exomonad result NAME prints the answer, again and again; exomonad attach NAME
shows it at work. Which program it is: [headless] acp in the configuration.`,
    )
    .action(async (words: string[], options: LlmOptions) => {
      const goal = await readMessage(context, words, 'goal')
      const client = await context.client()
      const input = {
        goal,
        ...(options.model === undefined ? {} : { model: options.model }),
        ...(options.timeout === undefined ? {} : { timeout_secs: options.timeout }),
        ...(options.tool === undefined ? {} : { tools: options.tool }),
        ...(options.context === undefined ? {} : { context: options.context }),
      }
      const spawned = await client.call('spawn_llm_session', input)
      if (options.wait === true) return watch(context, client, spawned.agent_id)
      const { name } = await readStatus(client, spawned.agent_id)
      present(context, spawned, () => {
        const palette = context.palette()
        return [
          `${palette.good('✓')} Started ${palette.bold(printableLine(name))} ${palette.dim(spawned.agent_id)}`,
          palette.dim(
            `exomonad attach ${quoteWord(name)} shows it at work, exomonad result ${quoteWord(name)} its answer`,
          ),
        ]
      })
    })
}

function duration(text: string): number {
  const seconds = parseDuration(text)
  if (seconds === undefined || seconds < 1)
    throw new UsageError(`--timeout ${text}: expected seconds, or a duration such as 90s or 10m.`)
  return Math.ceil(seconds)
}

function keyAndValue(
  text: string,
  before: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const at = text.indexOf('=')
  if (at < 1) throw new UsageError(`--context ${text}: expected KEY=VALUE.`)
  return { ...before, [text.slice(0, at)]: text.slice(at + 1) }
}

async function watch(context: CliContext, client: Client, id: string): Promise<void> {
  await interruptible(context, async (given) => {
    let name = id
    const over = new AbortController()
    const ended = untilEnded(client, id, given, (status) => (name = status.name))
      .then((status) => (status === undefined ? undefined : resultOf(client, id, given)))
      .finally(() => over.abort())
    const { stderr } = context.terminal
    const live = stderr.isTTY === true && !context.options().json && !context.environment.ci
    const watching = live
      ? watchSessions(context, client, {
          under: id,
          stream: stderr,
          signal: AbortSignal.any([over.signal, given]),
        })
      : undefined
    const result = await ended.finally(() => watching)
    if (result === undefined) return leftRunning(context, name)
    answer(context, name, result)
  })
}

/** The answer alone on standard output; how it went beside it. */
function answer(context: CliContext, name: string, result: ToolResult<'agent_result'>): void {
  if (result.status !== 'completed') context.markFailed()
  if (!context.options().json)
    writeLines(context.terminal.stderr, resultFacts(context, name, result))
  present(context, result, () =>
    result.output.trim() === '' ? [] : [printable(result.output).trimEnd()],
  )
}
