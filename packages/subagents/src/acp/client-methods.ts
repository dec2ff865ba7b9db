import { RequestError, type ClientApp } from '@agentclientprotocol/sdk'
import type { AcpHandlers, AcpPermission, AcpPermissionAnswer } from './acp.ts'
import { optionFor } from './permission-choice.ts'
import { readTool } from './updates.ts'

const NOT_FOUND = -32_002
const REFUSED = -32_602
const FAILED = -32_603

/**
 * It looks before it writes, and takes every error, also this, for a reason not to write a new
 * file. Its own look at the disk comes first.
 */
const UNAWARE_OF_MISSING = 'gemini-cli'
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT'

/**
 * What the agent may ask of its client. What there is no handler for is answered with “method not
 * found”, as is all that is not known.
 */
export function registerClientMethods(app: ClientApp, context: ClientMethods): void {
  registerPermission(app, context)
  registerFiles(app, context)
  const { terminals, isRefusal } = context.handlers
  if (terminals !== undefined) registerTerminals(app, terminals, answering(isRefusal))
}

interface ClientMethods {
  readonly handlers: AcpHandlers
  readonly signalOf: (sessionId: string) => AbortSignal | undefined
  readonly agentName: () => string | null
}

type Answered = <Result>(work: Promise<Result>) => Promise<Result>

/** With what the agent’s model reads of why it was refused or failed. */
const answering =
  (isRefusal: AcpHandlers['isRefusal']): Answered =>
  async (work) => {
    try {
      return await work
    } catch (error) {
      throw new RequestError(
        isMissing(error) ? NOT_FOUND : isRefusal?.(error) === true ? REFUSED : FAILED,
        error instanceof Error ? error.message : String(error),
      )
    }
  }

function registerPermission(
  app: ClientApp,
  { handlers: { permission }, signalOf }: ClientMethods,
): void {
  app.onRequest(
    'session/request_permission',
    readPermission,
    async ({ params: { sessionId, asked }, signal }) => {
      const turn = signalOf(sessionId)
      const given = AbortSignal.any([signal, ...(turn === undefined ? [] : [turn])])
      const answer =
        permission === undefined
          ? 'deny'
          : given.aborted
            ? 'cancelled'
            : await untilAborted(permission(sessionId, asked, given), given)
      const optionId = given.aborted ? null : chosen(answer, asked.options)
      return {
        outcome:
          optionId === null
            ? { outcome: 'cancelled' as const }
            : { outcome: 'selected' as const, optionId },
      }
    },
  )
}

function registerFiles(app: ClientApp, { handlers, agentName }: ClientMethods): void {
  const { readTextFile, writeTextFile, isRefusal } = handlers
  const answered = answering(isRefusal)
  if (readTextFile !== undefined) {
    app.onRequest('fs/read_text_file', async ({ params: { sessionId, path, line, limit } }) => ({
      content: await answered(
        readTextFile({ sessionId, path, line: line ?? null, limit: limit ?? null }).catch(
          (error: unknown) => {
            if (agentName() === UNAWARE_OF_MISSING && isMissing(error)) return ''
            throw error
          },
        ),
      ),
    }))
  }
  if (writeTextFile !== undefined) {
    app.onRequest('fs/write_text_file', async ({ params: { sessionId, path, content } }) => {
      await answered(writeTextFile({ sessionId, path, content }))
      return {}
    })
  }
}

function registerTerminals(
  app: ClientApp,
  terminals: NonNullable<AcpHandlers['terminals']>,
  answered: Answered,
): void {
  app.onRequest('terminal/create', async ({ params }) => ({
    terminalId: await answered(
      terminals.create({
        sessionId: params.sessionId,
        command: params.command,
        args: params.args ?? [],
        env: Object.fromEntries((params.env ?? []).map(({ name, value }) => [name, value])),
        cwd: params.cwd ?? null,
        outputByteLimit: params.outputByteLimit ?? null,
      }),
    ),
  }))
  app.onRequest('terminal/output', async ({ params: { terminalId } }) => {
    const { output, truncated, exit } = await answered((async () => terminals.output(terminalId))())
    return { output, truncated, ...(exit === null ? {} : { exitStatus: exit }) }
  })
  app.onRequest(
    'terminal/wait_for_exit',
    async ({ params: { terminalId }, signal }) =>
      await answered(terminals.ended(terminalId, signal)),
  )
  app.onRequest('terminal/kill', async ({ params: { terminalId } }) => {
    await answered(terminals.kill(terminalId))
    return {}
  })
  app.onRequest('terminal/release', async ({ params: { terminalId } }) => {
    await answered(terminals.release(terminalId))
    return {}
  })
}

const KINDS: ReadonlySet<unknown> = new Set<AcpPermission['options'][number]['kind']>([
  'allow_once',
  'allow_always',
  'reject_once',
  'reject_always',
])

/** Leniently: an option of a kind that is not known is none, and makes the others no worse. */
function readPermission(params: unknown): { sessionId: string; asked: AcpPermission } {
  const { sessionId, toolCall, options } = (params ?? {}) as Readonly<Record<string, unknown>>
  if (typeof sessionId !== 'string' || !Array.isArray(options)) throw RequestError.invalidParams()
  const known = options.flatMap((raw: unknown) => {
    const { optionId, name, kind } = (raw ?? {}) as Readonly<Record<string, unknown>>
    if (typeof optionId !== 'string' || !KINDS.has(kind)) return []
    return [
      {
        id: optionId,
        name: typeof name === 'string' ? name : optionId,
        kind: kind as AcpPermission['options'][number]['kind'],
      },
    ]
  })
  return { sessionId, asked: { tool: readTool(toolCall), options: known } }
}

function chosen(answer: AcpPermissionAnswer, options: AcpPermission['options']): string | null {
  if (answer === 'cancelled') return null
  if (answer === 'allow' || answer === 'deny') return optionFor(options, answer)
  return options.some(({ id }) => id === answer.optionId) ? answer.optionId : null
}

async function untilAborted(
  answer: Promise<AcpPermissionAnswer>,
  signal: AbortSignal,
): Promise<AcpPermissionAnswer> {
  const aborted = new Promise<'cancelled'>((settle) =>
    signal.addEventListener('abort', () => settle('cancelled'), { once: true }),
  )
  // Whatever goes wrong in asking, nothing is allowed by it.
  return await Promise.race([answer.catch(() => 'deny' as const), aborted])
}
