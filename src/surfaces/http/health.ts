import process from 'node:process'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { BUILD } from '../../runtime/version.ts'
import { errorBody } from './openapi.ts'

const healthy = z
  .looseObject({
    status: z.literal('ok'),
    pid: z.number().int(),
    version: z.string(),
    build: z.string().describe('Tells builds of one version apart'),
    repository: z.string(),
    uptime_seconds: z.number(),
    user_state: z
      .string()
      .optional()
      .describe('Folder with the owner’s token and what is trusted, as the daemon was started'),
    forge: z.string().optional().describe('Where pull requests live'),
    forge_trouble: z
      .string()
      .nullable()
      .optional()
      .describe('Code of what keeps the forge from being used; null where nothing does'),
    notify_trouble: z
      .array(
        z.object({
          target: z.string(),
          since: z.number().describe('Milliseconds since the epoch'),
          reason: z.string(),
        }),
      )
      .optional()
      .describe('Targets of [notify] that do not take what they are sent'),
  })
  .meta({ id: 'Health' })

/** `GET /healthz`, the only route without a token: that the daemon answers, and which one it is. */
export function healthRoute(
  fastify: FastifyInstance,
  deps: {
    version: string
    repository: string
    clock: () => number
    health: () => Record<string, unknown> | Promise<Record<string, unknown>>
  },
): void {
  const startedAt = deps.clock()
  fastify.get(
    '/healthz',
    {
      config: { public: true },
      schema: {
        operationId: 'get_health',
        tags: ['state'],
        summary: 'Whether the daemon answers',
        description:
          'The only route without a token. Further facts of the daemon may stand beside these.',
        security: [],
        response: { 200: healthy, '4xx': errorBody },
      },
    },
    async () => ({
      ...(await deps.health()),
      status: 'ok',
      pid: process.pid,
      version: deps.version,
      build: BUILD,
      repository: deps.repository,
      uptime_seconds: Math.max(0, Math.round((deps.clock() - startedAt) / 1000)),
    }),
  )
}
