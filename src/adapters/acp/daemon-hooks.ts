import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { request } from '../../../packages/subagents/src/node-http.ts'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { AcpLaunch } from '../terminals/headless-program.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

type Body = Readonly<Record<string, unknown>>

export type ProgramEvent =
  | 'session-start'
  | 'prompt'
  | 'tool-start'
  | 'tool-end'
  | 'permission'
  | 'stop'
  | 'interrupted'
  | 'waiting'
  | 'session-end'

/**
 * How a session speaks with the daemon: in order, and without being held up by it but where it
 * asks.
 */
export interface DaemonHooks {
  /** Sent once what was sent before was taken. The daemon away: waits in the spool. */
  notify(event: Exclude<ProgramEvent, 'permission' | 'stop'>, body: Body): void
  /**
   * The reason why it may not stop; null where it may, or where nobody can be asked: then the spool
   * says that the turn has ended.
   */
  stop(body: { readonly reason: string; readonly again: boolean }): Promise<string | null>
  /**
   * Waits as long as it takes, also for the daemon. Denied where the daemon refuses to take it;
   * null once the signal aborts.
   */
  permission(
    body: { readonly tool: string; readonly detail: string },
    signal: AbortSignal,
  ): Promise<{ decision: 'allow' | 'deny'; reason: string | null } | null>
  /** Resolves when everything sent so far was taken. */
  settled(): Promise<void>
}

/** For a hook that nothing waits for. Milliseconds. */
const NOTIFY_LIMIT = 10_000
/** Before a question is put again to a daemon that is away. Milliseconds. */
const AGAIN = 1_000
/** More than the daemon’s answers have. Bytes. */
const LONGEST_ANSWER = 4 * 1024 * 1024

/**
 * Of all sessions in this process: they share the spool, and what has another’s name takes its
 * place.
 */
let count = 0

type Answer =
  | { readonly kind: 'answered'; readonly status: number; readonly body: Body }
  | { readonly kind: 'away'; readonly why: string }

export function createDaemonHooks({
  daemon,
  complain,
  again = AGAIN,
}: {
  daemon: AcpLaunch['daemon']
  complain: (error: unknown) => void
  /** Milliseconds between two tries of a question. */
  again?: number
}): DaemonHooks {
  let last: Promise<unknown> = Promise.resolve()

  const token = async (): Promise<string> => (await readFile(daemon.authFile, 'utf8')).trim()

  async function post(
    event: ProgramEvent,
    body: Body,
    { limit, signal }: { limit?: number; signal?: AbortSignal },
  ): Promise<Answer> {
    try {
      const { status, text } = await ask(
        daemon.socket,
        `/v1/hooks/program/${event}`,
        await token(),
        body,
        { limit, signal },
      )
      // On its way up or down it refuses all, or its disk is full: it can be notified later.
      if (status === 503) return { kind: 'away', why: `it refuses for now (${status})` }
      return { kind: 'answered', status, body: text === '' ? {} : (parseJson(text) as Body) }
    } catch (error) {
      return { kind: 'away', why: error instanceof Error ? error.message : String(error) }
    }
  }

  /** As hooks/post.sh does it: the file appears whole, and only its owner reads the token in it. */
  async function spool(event: ProgramEvent, body: Body): Promise<void> {
    count += 1
    const name = `${Math.floor(Date.now() / 1000)}-${process.pid}-${String(count).padStart(8, '0')}-${event}.json`
    const hidden = join(daemon.spool, `.${name}`)
    try {
      await writeFile(
        hidden,
        `${JSON.stringify({ version: 1, event: `program/${event}`, token: await token(), body })}\n`,
        { mode: 0o600 },
      )
      await rename(hidden, join(daemon.spool, name))
    } catch (error) {
      await rm(hidden, { force: true }).catch(() => {})
      complain(
        new Error(
          `the daemon does not answer, and the spool can not be written: the hook ${event} is lost`,
          { cause: error },
        ),
      )
    }
  }

  const refused = (
    event: ProgramEvent,
    { status, body }: Answer & { kind: 'answered' },
  ): boolean => {
    if (status < 400) return false
    complain(
      new Error(`the daemon refused the hook ${event} (${status}): ${String(body['error'] ?? '')}`),
    )
    return true
  }

  /** After what was said before, whatever became of it. */
  const inOrder = <Result>(task: () => Promise<Result>): Promise<Result> => {
    const result = last.then(task)
    last = result.catch(() => {})
    return result
  }

  return {
    notify: (event, body) => {
      void inOrder(async () => {
        const answer = await post(event, body, { limit: NOTIFY_LIMIT })
        if (answer.kind === 'away') await spool(event, body)
        else refused(event, answer)
      })
    },
    stop: (body) =>
      inOrder(async () => {
        const answer = await post('stop', body, { limit: (daemon.stopTimeout + 5) * 1000 })
        if (answer.kind === 'away') {
          await spool('stop', body)
          return null
        }
        if (refused('stop', answer)) return null
        const { decision, reason } = answer.body
        return decision === 'block' && typeof reason === 'string' ? reason : null
      }),
    permission: async (body, signal) => {
      await last
      for (;;) {
        if (signal.aborted) return null
        const answer = await post('permission', body, { signal })
        if (signal.aborted) return null
        if (answer.kind === 'away') {
          await delay(again, undefined, { signal }).catch(() => {})
          continue
        }
        if (refused('permission', answer))
          return { decision: 'deny', reason: 'the daemon refused the question' }
        const { decision, reason } = answer.body
        if (decision === 'allow' || decision === 'deny')
          return { decision, reason: typeof reason === 'string' ? reason : null }
        // The question was taken back without an answer, as where another tool of that name ended:
        // it still stands here.
        await delay(again, undefined, { signal }).catch(() => {})
      }
    },
    settled: async () => {
      await last
    },
  }
}

/** One request over the Unix socket. */
function ask(
  socketPath: string,
  path: string,
  token: string,
  body: Body,
  { limit, signal }: { limit?: number | undefined; signal?: AbortSignal | undefined },
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const text = JSON.stringify(body)
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(text),
    }
    const sent = request(
      {
        socketPath,
        path,
        method: 'POST',
        headers,
        agent: false,
        ...(signal === undefined ? {} : { signal }),
      },
      (response) => {
        const chunks: Buffer[] = []
        let size = 0
        response.on('data', (chunk: Buffer) => {
          size += chunk.length
          if (size > LONGEST_ANSWER) sent.destroy(new Error('its answer is too long'))
          chunks.push(chunk)
        })
        response.on('error', reject)
        response.on('end', () => {
          clearTimeout(timer)
          resolve({
            status: response.statusCode ?? 0,
            text: Buffer.concat(chunks).toString('utf8'),
          })
        })
      },
    )
    const timer =
      limit === undefined
        ? undefined
        : setTimeout(() => sent.destroy(new Error(`no answer within ${limit} ms`)), limit)
    sent.on('error', (error) => {
      clearTimeout(timer)
      reject(error)
    })
    sent.end(text)
  })
}
