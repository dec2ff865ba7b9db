import { silentLog } from '../../src/runtime/log.ts'
import { createHttpServer, type HttpServerDeps } from '../../src/surfaces/http/server.ts'
import { ALL_TOOLS } from '../../src/tools/all.ts'
import { table, typeText, type SchemaNode } from './schema-text.ts'

interface Operation {
  readonly summary?: string
  readonly parameters?: readonly {
    name: string
    in: string
    schema: SchemaNode
    description?: string
  }[]
  readonly requestBody?: { content: Readonly<Record<string, { schema: SchemaNode }>> }
}

/** Every route of the daemon’s socket, from the OpenAPI document that it serves itself. */
export async function httpSection(): Promise<string> {
  // Routes are registered, none is called: what their handlers need is not looked at.
  const server = await createHttpServer({
    core: { view: {}, hooks: {} },
    tools: ALL_TOOLS,
    events: {},
    ownerTokenHash: '',
    findAgentByTokenHash: () => Promise.resolve(undefined),
    log: silentLog(),
    version: '0',
    repository: '',
    clock: () => 0,
  } as unknown as HttpServerDeps)
  await server.fastify.ready()
  const { paths = {}, components } = server.fastify.swagger() as {
    paths?: Record<string, Record<string, Operation>>
    components?: { schemas?: Record<string, SchemaNode> }
  }
  await server.close()
  const named = (node: SchemaNode): SchemaNode =>
    node.$ref === undefined
      ? node
      : (components?.schemas?.[node.$ref.split('/').at(-1) ?? ''] ?? node)
  const rows = Object.entries(paths)
    .filter(([path]) => !path.startsWith('/v1/tools/'))
    .flatMap(([path, operations]) =>
      Object.entries(operations).map(([method, operation]) => [
        `\`${method.toUpperCase()} ${path}\``,
        operation.summary ?? '',
        takes(operation, named),
      ]),
    )
  rows.push(
    [
      '`POST /v1/tools/<name>`',
      'Any [tool](tools.md), for those who may call it. With `Accept: text/event-stream` a stream of server-sent events: `progress` with `{message, event?}`, at last `result` or `error` with what the body would be',
      'The tool’s arguments',
    ],
    [
      '`GET /v1/mcp`',
      'With `Upgrade: mcp-stdio`: the MCP stream of [`exomonad mcp`](../mcp.md)',
      '',
    ],
    ['`GET /openapi.json`', 'All of this as OpenAPI 3.1', ''],
  )
  return [
    '# HTTP',
    'On the daemon’s Unix socket (its path is in `EXOMONAD_SOCKET`, and in `<git-common-dir>/exomonad/repository.json`). Every request but `/healthz` carries `Authorization: Bearer <token>`: an agent’s own (`EXOMONAD_TOKEN`), or the owner’s, who may add `X-Exomonad-As: <agent>`.',
    table(
      ['route', 'what', 'takes'],
      rows.toSorted(([a = ''], [b = '']) => (a < b ? -1 : 1)),
    ),
  ].join('\n\n')
}

function takes(
  { parameters = [], requestBody }: Operation,
  named: (node: SchemaNode) => SchemaNode,
): string {
  const fields = parameters
    .filter((parameter) => parameter.in === 'query')
    .map(({ name, schema }) => `\`${name}\`: ${typeText(schema)}`)
  const body = Object.values(requestBody?.content ?? {})[0]?.schema
  return [...fields, ...(body === undefined ? [] : [`\`${typeText(named(body))}\``])].join(', ')
}
