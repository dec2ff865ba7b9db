import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import { printable } from '../../text/printable.ts'
import type { CliContext } from '../context.ts'
import { interruptible } from '../interruptible.ts'
import { leftRunning } from '../left-running.ts'
import { present, writeLines } from '../output.ts'
import { resultFacts } from './result-facts.ts'
import { watchSessions } from './session-watch.ts'
import { resultOf, untilEnded } from './until-ended.ts'

/** `exomonad llm --wait`: what a session does until its end, then its answer. */
export async function watchSession(context: CliContext, client: Client, id: string): Promise<void> {
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
    writeLines(context.terminal.stderr, resultFacts(context.palette(), name, result))
  present(context, result, () =>
    result.output.trim() === '' ? [] : [printable(result.output).trimEnd()],
  )
}
