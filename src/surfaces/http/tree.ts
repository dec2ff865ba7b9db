import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import type { View } from '../../core/agents/tree-document.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { callerOf } from '../auth.ts'
import { parseInput } from '../parse-input.ts'
import { actsAsHuman } from '../tool-access.ts'
import { answers } from './openapi.ts'

const CHANGES = '/v1/tree/changes'

const changesQuery = z.object({
  since: z
    .string()
    .optional()
    .describe('Revision of the answer before; without, or of another daemon: everything'),
})

/** `GET /v1/tree`: one read of the store. `GET /v1/tree/changes`: what changed of it. */
export function treeRoutes(fastify: FastifyInstance, view: View): void {
  const resultOf = (tool: string) =>
    z.record(z.string(), z.unknown()).describe(`The result of the tool \`${tool}\``)
  fastify.get(
    '/v1/tree',
    {
      schema: {
        operationId: 'get_tree',
        tags: ['state'],
        summary: 'The tree of agents',
        description: 'The same as the tool `tree` for all agents, in one read of the store.',
        response: answers(resultOf('tree')),
      },
    },
    () => view.tree(),
  )
  fastify.get(
    CHANGES,
    {
      schema: {
        operationId: 'get_tree_changes',
        tags: ['state'],
        summary: 'What changed of the tree',
        description:
          'The same as the tool `tree_changes`, for a client that keeps the tree and hears of events. For the human alone.',
        querystring: changesQuery,
        response: answers(resultOf('tree_changes')),
      },
    },
    (request) => {
      if (!actsAsHuman(callerOf(request)))
        throw new ExomonadError(
          'NOT_ALLOWED',
          'Only the human keeps the whole tree. Use the tool `tree` to look at it.',
        )
      return view.changes(parseInput(changesQuery, request.query, `GET ${CHANGES}`).since)
    },
  )
}
