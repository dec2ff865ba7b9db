import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { ExomonadError } from '../../domain/errors.ts'
import { summaryOf, type AnyTool } from '../../tools/define.ts'
import { nearestKey } from '../../config/nearest-key.ts'
import { keyIn } from '../idempotency-key.ts'
import { parseInput } from '../parse-input.ts'
import { collectReceipts, settleWithResponse } from '../receipts.ts'
import { listTools, runTool, type ToolCall } from '../run-tool.ts'
import { schemasOf } from '../tool-schemas.ts'
import { callerOf } from '../auth.ts'
import { callFrames } from './call-frames.ts'
import { goneSignal } from './gone.ts'
import { answers } from './openapi.ts'

const listQuery = z.object({
  all: z
    .enum(['true', 'false'])
    .optional()
    .describe('With true the human also gets the tools that are not listed'),
})

const toolList = z
  .object({
    tools: z.array(
      z.object({
        name: z.string(),
        description: z.string(),
        inputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema'),
        outputSchema: z.record(z.string(), z.unknown()).describe('JSON Schema'),
      }),
    ),
  })
  .meta({ id: 'ToolList' })

const EVENT_STREAM = 'text/event-stream'

/**
 * `GET /v1/tools` and one `POST /v1/tools/<name>` per tool: answered with the result, or by a
 * stream that reports how far it is, where that is asked for.
 */
export function toolRoutes(
  fastify: FastifyInstance,
  deps: Omit<ToolCall, 'caller' | 'signal' | 'progress' | 'consumed'> & {
    tools: readonly AnyTool[]
  },
): void {
  const { core, tools, roleTools, gate, log } = deps

  fastify.get(
    '/v1/tools',
    {
      schema: {
        operationId: 'list_tools',
        tags: ['tools'],
        summary: 'The tools the caller may use, sorted by name',
        description:
          'With the JSON Schema of what each takes and returns; the role of the caller decides which there are.',
        querystring: listQuery,
        response: answers(toolList),
      },
    },
    (request) => {
      const { all } = parseInput(listQuery, request.query, 'GET /v1/tools')
      return { tools: listTools(tools, callerOf(request), { roleTools, all: all === 'true' }) }
    },
  )

  for (const tool of tools) {
    const { input, output } = schemasOf(tool).named
    fastify.post(
      `/v1/tools/${tool.name}`,
      {
        schema: {
          operationId: tool.name,
          tags: ['tools'],
          summary: summaryOf(tool),
          description: tool.description,
          deprecated: tool.deprecated !== undefined,
          body: input,
          response: answers(output),
        },
      },
      async (request, reply) => {
        const receipts = collectReceipts(log)
        const call = {
          core,
          caller: callerOf(request),
          signal: goneSignal(reply),
          consumed: receipts.take,
          key: keyIn(request.headers),
          roleTools,
          gate,
          log,
        }
        if (request.headers.accept?.includes(EVENT_STREAM) === true) {
          const frames = callFrames(
            (progress) => runTool(tool, { ...call, progress }, request.body),
            log,
          )
          settleWithResponse(receipts, reply.raw)
          return reply
            .header('content-type', `${EVENT_STREAM}; charset=utf-8`)
            .header('cache-control', 'no-store')
            .send(Readable.from(frames))
        }
        const result = await runTool(tool, call, request.body)
        settleWithResponse(receipts, reply.raw)
        return reply.send(result)
      },
    )
  }

  fastify.post<{ Params: { name: string } }>(
    '/v1/tools/:name',
    { schema: { hide: true } },
    (request, reply) => {
      const { name } = request.params
      const near = nearestKey(
        name,
        tools.map((tool) => tool.name),
      )
      const hint = near === undefined ? 'GET /v1/tools lists them' : `did you mean ${near}?`
      return reply.code(404).send(
        new ExomonadError('INVALID_ARG', `There is no tool ${name}: ${hint}`, {
          field: 'tool',
          found: name,
          ...(near === undefined ? {} : { nearest: near }),
        }).toJSON(),
      )
    },
  )
}
