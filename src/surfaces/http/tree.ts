import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { View } from '../../core/agents/tree-document.ts'
import { answers } from './openapi.ts'

/** `GET /v1/tree`: one read of the store. */
export function treeRoute(fastify: FastifyInstance, view: View): void {
  const result = z.record(z.string(), z.unknown()).describe('The result of the tool `tree`')
  fastify.get(
    '/v1/tree',
    {
      schema: {
        operationId: 'get_tree',
        tags: ['state'],
        summary: 'The tree of agents',
        description: 'The same as the tool `tree` for all agents, in one read of the store.',
        response: answers(result),
      },
    },
    () => view.tree(),
  )
}
