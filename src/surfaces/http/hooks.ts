import type { FastifyInstance, FastifyReply } from 'fastify'
import { z } from 'zod'
import type { Hooks } from '../../core/turns/agent-hooks.ts'
import type { Caller } from '../../domain/caller.ts'
import { callerOf } from '../auth.ts'
import { identityOf } from '../tool-access.ts'
import { answers } from './openapi.ts'

/**
 * What agent CLIs send their hooks: everything optional, more is ignored, and what has an odd type
 * counts as absent. A hook must not fail over it.
 */
const text = z.string().optional().catch(undefined)
const hookFacts = z
  .looseObject({
    session_id: text,
    transcript: text,
    transcript_path: text,
    prompt: text,
    tool: text,
    tool_name: text,
    reason: text,
    message: text,
  })
  .catch({})
  .meta({ id: 'HookFacts' })
type HookFacts = z.output<typeof hookFacts>

const stopAnswer = z
  .object({
    decision: z.enum(['allow', 'block']),
    note: z.string().optional(),
    objection: z.string().optional(),
    reason: z.string().optional(),
  })
  .meta({ id: 'StopAnswer' })
const nothing = z.object({})

export const HOOK_EVENTS = [
  'session-start',
  'prompt',
  'tool',
  'stop',
  'waiting',
  'session-end',
] as const
export type HookEvent = (typeof HOOK_EVENTS)[number]

const SAYS: Readonly<Record<HookEvent, string>> = {
  'session-start': 'Its program runs, in this session.',
  prompt: 'It was given a prompt, so that its turn begins; messages that stand in it have arrived.',
  tool: 'It calls a tool, so that it is at work.',
  stop: 'It wants to end its turn. The answer says whether it may, and if not, why.',
  waiting: 'It waits for a person.',
  'session-end': 'Its session ended.',
}

/** `program/EVENT`: EVENT in the agent CLI’s own words. */
const PROGRAM = 'program/'

/**
 * The same for any event of the spool. The stop check can’t hold anyone any more: what counts is
 * that the turn ended.
 */
export async function callSpooledHook(
  hooks: Hooks,
  event: string,
  caller: Caller,
  body: Record<string, unknown>,
  at: number,
): Promise<void> {
  if (event.startsWith(PROGRAM))
    await hooks.fromProgram(caller, event.slice(PROGRAM.length), body, { at })
  else if (event === 'stop') await hooks.turnEnded(caller, at)
  else await callHook(hooks, event as HookEvent, caller, body, { at })
}

/**
 * Passes what a hook said to core, live or read from the spool (`at`: when). Only `stop` has an
 * answer of its own.
 */
export function callHook(
  hooks: Hooks,
  event: HookEvent,
  caller: Caller,
  body: unknown,
  { at, signal }: { at?: number; signal?: AbortSignal } = {},
): Promise<unknown> {
  const facts: HookFacts = hookFacts.parse(body ?? {})
  switch (event) {
    case 'session-start':
      return hooks.sessionStart(
        caller,
        { session_id: facts.session_id, transcript: facts.transcript ?? facts.transcript_path },
        at,
      )
    case 'prompt':
      return hooks.promptSubmit(caller, { prompt: facts.prompt }, at)
    case 'tool':
      return hooks.toolUse(caller, { tool: facts.tool ?? facts.tool_name }, at)
    case 'stop':
      return hooks.stop(caller, { signal })
    case 'waiting':
      return hooks.waiting(caller, facts.reason ?? facts.message ?? 'it waits for a person', at)
    case 'session-end':
      return hooks.sessionEnd(caller, facts.reason ?? 'its session ended')
  }
}

/** `POST /v1/hooks/<event>`. */
export function hookRoutes(fastify: FastifyInstance, hooks: Hooks): void {
  for (const event of HOOK_EVENTS) {
    const result = event === 'stop' ? stopAnswer : nothing
    fastify.post(
      `/v1/hooks/${event}`,
      {
        schema: {
          operationId: `hook_${event.replace('-', '_')}`,
          tags: ['hooks'],
          summary: `An agent CLI’s ${event} hook`,
          description: SAYS[event],
          body: hookFacts,
          response: answers(result),
        },
      },
      async (request, reply) =>
        reply.send(
          (await callHook(hooks, event, identityOf(callerOf(request)), request.body, {
            signal: untilGone(reply),
          })) ?? {},
        ),
    )
  }
  fastify.post<{ Params: { event: string } }>(
    `/v1/hooks/${PROGRAM}:event`,
    {
      schema: {
        operationId: 'hook_program',
        tags: ['hooks'],
        summary: 'A hook of an agent CLI in its own words',
        description:
          'The answer is in its own words as well; 204 where there is nothing to answer.',
        params: z.object({
          event: z.string().describe('Its name in the agent CLI, such as PreToolUse'),
        }),
        body: z.looseObject({}),
        response: { ...answers(z.looseObject({})), 204: z.null() },
      },
    },
    async (request, reply) => {
      const answer = await hooks.fromProgram(
        identityOf(callerOf(request)),
        request.params.event,
        objectOr(request.body),
        { signal: untilGone(reply) },
      )
      return answer === null ? reply.code(204).send() : reply.send(answer)
    },
  )
}

/** Whoever asked may give up, such as when a person answered in the terminal. */
function untilGone(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

const objectOr = (body: unknown): Record<string, unknown> =>
  typeof body === 'object' && body !== null && !Array.isArray(body)
    ? (body as Record<string, unknown>)
    : {}
