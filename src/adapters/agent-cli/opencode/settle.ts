import { exists } from '../../../../packages/subagents/src/processes/signal.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { LaunchRequest, LiveAgent } from '../agent-cli.ts'
import type { NotUp, Settled } from '../settled.ts'
import {
  promptAsync,
  readSession,
  request,
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
  if (!(await untilUp(server, live))) {
    const what = hasEnded(live.pid)
      ? 'ended while it was starting'
      : `did not come up within ${UP_LIMIT / 1000} s`
    return {
      notUp: `OpenCode ${what}`,
      // Another one may have held its store, or taken its port, just then.
      again: (shown) => (shown.includes(GONE) ? 'fresh' : 'same'),
    }
  }
  const { session, forked, warnings } = await sessionFor(server, launch, limit)
  const select = () =>
    request(server, 'POST', '/tui/select-session', {
      body: { sessionID: session.id },
      timeout: 5000,
    }).catch(() => undefined)
  await select()
  const answer = await promptAsync(server, session.id, {
    text: launch.prompt,
    ...(session.agent !== undefined && { agent: session.agent }),
  })
  if (answer.kind === 'refused' || answer.status >= 300)
    throw new ExomonadError('SPAWN_FAILED', `OpenCode did not take its task: ${describe(answer)}`)
  for (const after of SELECT_AGAIN) setTimeout(() => void select(), after).unref()
  return { session: { id: session.id, transcript: null }, forked, warnings }
}

async function sessionFor(
  server: OpenCodeServer,
  launch: LaunchRequest,
  limit: number,
): Promise<{ session: SessionInfo; forked: boolean; warnings: readonly string[] }> {
  const known = launch.session
  if (known === null || launch.mode === 'start')
    return { session: await create(server, launch), forked: false, warnings: [] }
  if (launch.mode === 'resume') {
    const session = await readSession(server, known.id)
    if (session !== null) return { session, forked: false, warnings: [] }
    return {
      session: await create(server, launch),
      forked: false,
      warnings: [`Its session ${known.id} is gone: it begins a new one.`],
    }
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
