import { setTimeout as delay } from 'node:timers/promises'
import { exists } from '../../../../packages/subagents/src/processes/signal.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { LaunchRequest, LiveAgent } from '../agent-cli.ts'
import type { NotUp, Settled } from '../settled.ts'
import {
  promptAsync,
  readSession,
  request,
  sessionPath,
  waitUntilUp,
  type OpenCodeServer,
  type SessionInfo,
} from './api.ts'
import { promptsByArgv } from './launch.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

/** What it ends with where the session that it is to show is not in its store (1.18.33). */
const GONE = 'Session not found'
/** Milliseconds. */
const UP_LIMIT = 90_000
const WORK_LIMIT = 30_000
const END_LIMIT = 3000
/** The terminal’s own part listens a moment after its server does. */
const SELECT_AGAIN = [1000, 3000, 8000]

/** False where its server does not answer in time, or it ended. */
export const untilUp = (
  server: OpenCodeServer,
  { pid }: Pick<LiveAgent, 'pid'>,
): Promise<boolean> => waitUntilUp(server, UP_LIMIT, () => hasEnded(pid))

/** What could not be said by argv: a fork, a long task, a prompt for a session that exists. */
export async function settleOpenCode(
  server: OpenCodeServer | null,
  live: LiveAgent,
  launch: LaunchRequest,
  limit = WORK_LIMIT,
): Promise<Settled | NotUp> {
  if (server === null || promptsByArgv(launch))
    return { session: null, forked: false, warnings: [] }
  if (!(await untilUp(server, live)))
    return notUp(
      hasEnded(live.pid)
        ? 'ended while it was starting'
        : `did not come up within ${UP_LIMIT / 1000} s`,
    )
  const found = await sessionFor(server, launch, limit).catch(async (error: unknown) => {
    // Its server answers before its terminal has looked at everything.
    if (await endsSoon(live.pid)) return notUp('ended while it was starting')
    throw error
  })
  if ('notUp' in found) return found
  const { session, forked, warnings } = found
  const select = () =>
    request(server, 'POST', '/tui/select-session', {
      body: { sessionID: session.id },
      timeout: 5000,
    }).catch(() => undefined)
  await select()
  const answer = await promptAsync(server, session.id, {
    text: launch.prompt,
    ...(session.agent !== undefined && { agent: session.agent }),
  }).catch(async (error: unknown) => {
    // It may have it, so it is not given once more.
    const why = error instanceof Error ? error.message : String(error)
    throw notTaken((await endsSoon(live.pid)) ? 'it ended meanwhile' : why)
  })
  if (answer.kind === 'refused' || answer.status >= 300) throw notTaken(describe(answer))
  for (const after of SELECT_AGAIN) setTimeout(() => void select(), after).unref()
  return { session: { id: session.id, transcript: null }, forked, warnings }
}

const notUp = (what: string): NotUp => ({
  notUp: `OpenCode ${what}`,
  // Another one may have held its store, or taken its port, just then.
  again: (shown) => (shown.includes(GONE) ? 'fresh' : 'same'),
})

const notTaken = (why: string): ExomonadError =>
  new ExomonadError('SPAWN_FAILED', `OpenCode did not take its task: ${why}`)

async function sessionFor(
  server: OpenCodeServer,
  launch: LaunchRequest,
  limit: number,
): Promise<{ session: SessionInfo; forked: boolean; warnings: readonly string[] } | NotUp> {
  const known = launch.session
  if (known === null || launch.mode === 'start')
    return { session: await create(server, launch), forked: false, warnings: [] }
  if (launch.mode === 'resume') {
    const there = await sessionIn(server, known.id, limit)
    // Its terminal, which is to show that one, ends in a moment.
    if (there === null) return { notUp: `OpenCode: ${GONE}`, again: () => 'fresh' }
    return { session: there, forked: false, warnings: [] }
  }
  try {
    return {
      session: await fork(server, known.id, launch.worktree, limit),
      forked: true,
      warnings: [],
    }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      session: await create(server, launch),
      forked: false,
      warnings: [
        `The parent’s session ${known.id} could not be forked (${why}): it begins a new one, with its task alone.`,
      ],
    }
  }
}

/** Null where its store does not have it; throws where that can't be told. */
async function sessionIn(
  server: OpenCodeServer,
  id: string,
  timeout: number,
): Promise<SessionInfo | null> {
  const answer = await retriedOnTimeout(() => request(server, 'GET', sessionPath(id), { timeout }))
  return answer.kind === 'answered' && answer.status === 404 ? null : documentOf(answer)
}

const create = async (server: OpenCodeServer, { worktree }: LaunchRequest): Promise<SessionInfo> =>
  documentOf(
    await request(server, 'POST', '/session', {
      query: { directory: worktree },
      body: {},
      timeout: WORK_LIMIT,
    }),
  )

/**
 * All OpenCodes of a person share one store, so any server can copy any session; the copy belongs
 * to the parent’s worktree, and is moved where that is another.
 */
async function fork(
  server: OpenCodeServer,
  parent: string,
  worktree: string,
  timeout: number,
): Promise<SessionInfo> {
  const copy = documentOf(
    await retriedOnTimeout(() =>
      request(server, 'POST', `/session/${encodeURIComponent(parent)}/fork`, { body: {}, timeout }),
    ),
  )
  if (copy.directory === worktree) return copy
  const body = { sessionID: copy.id, destination: { directory: worktree }, moveChanges: false }
  const moved = await retriedOnTimeout(() =>
    request(server, 'POST', '/experimental/control-plane/move-session', { body, timeout }),
  )
  if (moved.kind === 'refused' || moved.status >= 300)
    throw new Error(`it could not be moved: ${describe(moved)}`)
  return (await readSession(server, copy.id)) ?? copy
}

/**
 * Once more where no answer came in time, as from a machine under load: a second copy harms nobody,
 * and a fork that begins afresh knows nothing.
 */
async function retriedOnTimeout(ask: () => Promise<Answer>): Promise<Answer> {
  try {
    return await ask()
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error
    return ask()
  }
}

type Answer = Awaited<ReturnType<typeof request>>

const describe = (answer: Answer): string =>
  answer.kind === 'refused'
    ? 'nothing listens'
    : `HTTP ${answer.status} ${answer.text.slice(0, 300)}`

function documentOf(answer: Answer): SessionInfo {
  if (answer.kind === 'refused' || answer.status >= 300) throw new Error(describe(answer))
  return parseJson(answer.text) as SessionInfo
}

const hasEnded = (pid: number | null): boolean => pid !== null && !exists(pid)

/** Whether it is gone, or goes within a moment. */
async function endsSoon(pid: number | null): Promise<boolean> {
  for (const deadline = Date.now() + END_LIMIT; Date.now() < deadline; await delay(100))
    if (hasEnded(pid)) return true
  return false
}
