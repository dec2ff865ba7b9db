import { randomBytes } from 'node:crypto'
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Argument, type Command } from 'commander'
import { asExomonadError } from '../../../domain/errors.ts'
import { ERRORS } from '../../../domain/error-codes.ts'
import { readAgentToken } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { writeJson } from '../output.ts'
import { printable } from '../../text/printable.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

const EVENTS = ['session-start', 'prompt', 'tool', 'stop', 'waiting', 'session-end']

/**
 * The same as hooks/<event>.sh for agents that would rather call a program: fails open, always
 * exits with 0.
 */
export function define(command: Command, context: CliContext): void {
  command
    .addArgument(
      new Argument('<event>', 'What happened; stop says whether the agent may stop').choices(
        EVENTS,
      ),
    )
    .action(async (event: string) => {
      const body = await readFacts(context)
      const answer = await notifyDaemon(context, event, body)
      if (event === 'stop') writeJson(context.terminal.stdout, answer ?? { decision: 'allow' })
    })
}

async function notifyDaemon(
  context: CliContext,
  event: string,
  body: Record<string, unknown>,
): Promise<unknown> {
  try {
    const client = await context.client({ start: false })
    return await client.hook(event, body)
  } catch (thrown) {
    const error = asExomonadError(thrown)
    // Refused for now: it is read from the spool when the daemon can take it.
    const spooled = ERRORS[error.code].status === 503 && (await spool(context, event, body))
    const fate = spooled
      ? `the daemon does not take it now; the hook ${event} waits in the spool`
      : `the hook ${event} is lost: ${error.message} (${error.code})`
    context.terminal.stderr.write(`exomonad: ${printable(fate)}\n`)
    return undefined
  }
}

/**
 * How long standard input may take: a pipe that nobody closes must not hold the agent.
 * Milliseconds.
 */
const TIMEOUT = 1000

async function readFacts(context: CliContext): Promise<Record<string, unknown>> {
  const { stdin } = context.terminal
  if (stdin.isTTY === true) return {}
  const chunks: Buffer[] = []
  const read = async (): Promise<void> => {
    for await (const chunk of stdin) chunks.push(Buffer.from(chunk))
  }
  let timer: NodeJS.Timeout | undefined
  await Promise.race([
    read().catch(() => {}),
    new Promise((resolve) => (timer = setTimeout(resolve, TIMEOUT))),
  ])
  clearTimeout(timer)
  try {
    const facts: unknown = parseJson(Buffer.concat(chunks).toString('utf8'))
    return typeof facts === 'object' && facts !== null && !Array.isArray(facts)
      ? (facts as Record<string, unknown>)
      : {}
  } catch {
    return {}
  }
}

/**
 * Leaves what was said as one file that appears whole; the daemon reads it when it starts
 * (adapters/host/spool.ts).
 */
async function spool(
  context: CliContext,
  event: string,
  body: Record<string, unknown>,
): Promise<boolean> {
  const folder = context.environment.variables['EXOMONAD_SPOOL']
  const token = await readAgentToken(context.environment)
  if (folder === undefined || token === null) return false
  const name = `${Math.floor(context.now() / 1000)}-${process.pid}-${randomBytes(2).toString('hex')}-${event}.json`
  try {
    await writeFile(
      join(folder, `.${name}`),
      `${JSON.stringify({ version: 1, event, token, body })}\n`,
      { mode: 0o600 },
    )
    await rename(join(folder, `.${name}`), join(folder, name))
    return true
  } catch {
    return false
  }
}
