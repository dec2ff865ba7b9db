import {
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type CallToolResult,
  type jsonSchemaValidator,
  type RequestId,
} from '@modelcontextprotocol/server'
import type { Core } from '../../core/core.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Receipt } from '../../core/mail/receipt.ts'
import { nearestKey } from '../../config/nearest-key.ts'
import { asExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import type { AnyTool } from '../../tools/define.ts'
import { runTool, toolsFor } from '../run-tool.ts'
import type { RoleTools } from '../tool-access.ts'
import { startHeartbeat } from './heartbeat.ts'
import { mcpTool } from './tool-schemas.ts'

export interface McpDeps {
  readonly core: Core
  readonly tools: readonly AnyTool[]
  readonly roleTools: RoleTools
  readonly gate: TextGate
  readonly log: Log
  readonly version: string
  readonly clock: () => number
}

/** One client, for as long as its transport lasts. */
export interface McpClient {
  /**
   * Who it is now: asked anew for every request, since an agent may have ended while its client
   * stays.
   */
  readonly identify: () => Promise<Caller>
  /** Of the request’s header Idempotency-Key, where the transport has headers for each request. */
  readonly key?: string | undefined
  /** Further reasons to end a call, beside those that the transport itself knows. */
  readonly signalOf?: (id: RequestId) => { readonly signal: AbortSignal; done(): void }
  /**
   * Takes what the result of a call takes away, until the transport knows whether the result
   * arrived. Without, it counts as arrived.
   */
  readonly consumed?: (id: RequestId, receipt: Receipt) => void
}

const INSTRUCTIONS =
  'The tree of agents that you are part of: spawn children for what can be done beside your own work, fold theirs in, file your own, and talk to your parent.'

/**
 * Validates what clients answer to questions of the server’s, of which there are none here; the
 * SDK’s own would be made anew for every request.
 */
const NO_VALIDATOR: jsonSchemaValidator = {
  getValidator: () => {
    throw new Error('nothing is elicited')
  },
}

/**
 * The tools as an MCP server, whatever the transport and the protocol’s era. Nothing is remembered
 * between requests.
 */
export function createMcpServer(deps: McpDeps, client: McpClient): Server {
  const server = new Server(
    { name: 'exomonad', version: deps.version },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS, jsonSchemaValidator: NO_VALIDATOR },
  )

  server.setRequestHandler('tools/list', async () => {
    const caller = await client.identify().catch((thrown: unknown) => {
      const error = asExomonadError(thrown)
      throw new ProtocolError(ProtocolErrorCode.InvalidRequest, error.message, error.toJSON())
    })
    // Of its own program alone this says how far it is.
    if (caller.actedBy === undefined) deps.core.hooks.toolsListed(caller)
    return { tools: toolsFor(deps.tools, caller, { roleTools: deps.roleTools }).map(mcpTool) }
  })

  server.setRequestHandler('tools/call', async ({ params }, { mcpReq }) => {
    const tool = deps.tools.find(({ name }) => name === params.name)
    if (tool === undefined) throw noSuchTool(params.name, deps.tools)
    const token = mcpReq._meta?.progressToken
    const heartbeat =
      token === undefined
        ? undefined
        : startHeartbeat(
            tool.name,
            (progress, message) => {
              // A client that went away is no news: its signal says so.
              mcpReq
                .notify({
                  method: 'notifications/progress',
                  params: { progressToken: token, progress, message },
                })
                .catch(() => {})
            },
            deps.clock,
          )
    const own = client.signalOf?.(mcpReq.id)
    try {
      const caller = await client.identify()
      const signal =
        own === undefined ? mcpReq.signal : AbortSignal.any([mcpReq.signal, own.signal])
      const { core, roleTools, gate, log } = deps
      const receipts: Receipt[] = []
      const consumed = (receipt: Receipt) => receipts.push(receipt)
      const result = await runTool(
        tool,
        {
          core,
          caller,
          signal,
          consumed,
          roleTools,
          gate,
          log,
          key: client.key,
          ...(heartbeat === undefined ? {} : { progress: heartbeat.say }),
        },
        params.arguments,
      )
      for (const receipt of receipts) {
        // Nobody is answered any more.
        if (signal.aborted) await receipt.giveBack()
        else if (client.consumed === undefined) await receipt.confirm()
        else client.consumed(mcpReq.id, receipt)
      }
      return success(result)
    } catch (thrown) {
      return failure(thrown, tool, deps.log)
    } finally {
      heartbeat?.stop()
      own?.done()
    }
  })
  return server
}

const text = (document: unknown): CallToolResult['content'] => [
  { type: 'text', text: JSON.stringify(document) },
]

const success = (result: unknown): CallToolResult => ({
  structuredContent: result as Record<string, unknown>,
  content: text(result),
})

/**
 * As text alone: clients check structured content against the tool’s output schema, in errors too,
 * and `{error, code, …}` is not of it.
 */
function failure(thrown: unknown, tool: AnyTool, log: Log): CallToolResult {
  const error = asExomonadError(thrown)
  if (error.code === 'INTERNAL')
    log.error({ err: error.cause ?? error, tool: tool.name }, 'a tool call failed')
  return { isError: true, content: text(error.toJSON()) }
}

function noSuchTool(name: string, tools: readonly AnyTool[]): ProtocolError {
  const near = nearestKey(
    name,
    tools.map((tool) => tool.name),
  )
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no tool ${name}: ${near === undefined ? 'tools/list has them' : `did you mean ${near}?`}`,
  )
}
