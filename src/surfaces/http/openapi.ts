import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import {
  createJsonSchemaTransform,
  createJsonSchemaTransformObject,
} from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../../domain/error-codes.ts'

/** Every error’s body. */
export const errorBody = z
  .looseObject({
    error: z.string().describe('What happened and what to do'),
    code: z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]),
  })
  .meta({ id: 'Error' })

/** Responses of a route: its result, or an error. */
export const answers = (result: z.ZodType): Record<string, z.ZodType> => ({
  200: result,
  '4xx': errorBody,
  '5xx': errorBody,
})

const TAGS = [
  { name: 'hooks', description: 'What agent CLIs say of themselves.' },
  { name: 'state', description: 'Whether the daemon answers, the tree, and what happened.' },
  { name: 'tools', description: 'What may be asked for; the same over MCP and the command line.' },
]

/** OpenAPI 3.1, generated from the schemas of the routes that are registered after this. */
export async function installOpenApi(fastify: FastifyInstance, version: string): Promise<void> {
  const transformObject = createJsonSchemaTransformObject({})
  await fastify.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'exomonad',
        version,
        description: 'The daemon of one repository, on its Unix socket.',
        contact: { name: 'exomonad' },
        license: { name: 'MIT', url: 'https://opensource.org/license/mit' },
      },
      servers: [
        {
          url: '/',
          description:
            'Where this document comes from: the Unix socket that `exomonad daemon status --json` names',
        },
      ],
      tags: TAGS,
      components: {
        securitySchemes: {
          token: {
            type: 'http',
            scheme: 'bearer',
            description: 'EXOMONAD_TOKEN of an agent, or the owner’s token',
          },
        },
      },
      security: [{ token: [] }],
    },
    transform: createJsonSchemaTransform({}),
    transformObject: (document) =>
      withoutUnused(transformObject(document) as Document) as ReturnType<typeof transformObject>,
  })
}

export function openApiRoute(fastify: FastifyInstance): void {
  fastify.get('/openapi.json', { schema: { hide: true } }, () => fastify.swagger())
}

interface Document {
  components?: { schemas?: Record<string, unknown> }
}

/**
 * Every schema with an id is in the registry, also those of the configuration: the ones that
 * nothing refers to go.
 */
function withoutUnused(document: Document): Document {
  const { schemas = {}, ...components } = document.components ?? {}
  const used = new Set<string>()
  const follow = (part: unknown): void => {
    for (const [, name = ''] of JSON.stringify(part ?? null).matchAll(
      /"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (used.has(name)) continue
      used.add(name)
      follow(schemas[name])
    }
  }
  follow({ ...document, components })
  return {
    ...document,
    components: {
      ...components,
      schemas: Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name))),
    },
  }
}
