import { ExomonadError, toError } from '../errors.ts'
import { guardCallbacks } from '../callbacks.ts'
import { untilAborted } from '../abort.ts'
import type { ACPAgentToolCall } from '../client/acp-types.ts'
import { createAgenticLoop } from './agentic-loop.ts'
import { createChildRegistry } from './child-registry.ts'
import { createConversation } from './conversation.ts'
import { DELEGATE, spawnDefinition } from './subagent-definitions.ts'
import type {
  LoopCallbacks,
  SubagentCallbacks,
  SubagentInfo,
  SubagentToolsOptions,
  ToolRegistry,
} from './types.ts'
import type { ToolArguments } from '../tools/tool-types.ts'

const DEFAULT_MAX_TURNS = 10
const DEFAULT_MAX_DEPTH = 2

type Notify = ReturnType<typeof guardCallbacks<SubagentCallbacks>>

/** For the whole process: ids of different registrations meet in one display. */
let lastId = 0

/**
 * Registers `subagent_spawn` (a loop of its own, in a conversation of its own, with the parent’s
 * tools) and `subagent_delegate` (one prompt, one answer) under the category `subagent`. `depth`
 * counts the subagents above; from `maxDepth` on nothing is registered. Throws INVALID_ARG where
 * the registry has tools of these names.
 */
export function registerSubagentTools(
  registry: ToolRegistry,
  options: SubagentToolsOptions,
  depth = 0,
): void {
  registerAt(registry, options, depth, undefined)
}

function registerAt(
  registry: ToolRegistry,
  options: SubagentToolsOptions,
  depth: number,
  parentId: string | undefined,
): void {
  const {
    acpClient,
    callbacks = {},
    defaultMaxTurns = DEFAULT_MAX_TURNS,
    maxDepth = DEFAULT_MAX_DEPTH,
    serverName,
    agentId,
    systemPrompt,
  } = options
  if (depth >= maxDepth) return
  const notify = guardCallbacks(callbacks)

  registry.register(spawnDefinition(defaultMaxTurns), (args, { signal }) =>
    report(
      { mode: 'spawn', description: text(args, 'description') ?? 'Subagent task', parentId },
      notify,
      async (id, loopCallbacks) => {
        const maxTurns = positive(args, 'maxTurns') ?? defaultMaxTurns
        const childRegistry = createChildRegistry(options.toolRegistry)
        registerAt(childRegistry, { ...options, toolRegistry: childRegistry }, depth + 1, id)
        const loop = createAgenticLoop({
          acpClient,
          toolRegistry: childRegistry,
          conversation: createConversation(),
          maxTurns,
          serverName,
          agentId,
          systemPrompt: text(args, 'systemPrompt') ?? systemPrompt,
          keepSession: false,
        })
        const { finalText, totalTurns, hitTurnLimit } = await loop.run(
          taskOf(args),
          loopCallbacks,
          { signal },
        )
        return { text: hitTurnLimit ? limited(finalText, maxTurns) : finalText, turns: totalTurns }
      },
    ),
  )

  registry.register(DELEGATE, (args, { signal }) =>
    report(
      { mode: 'delegate', description: text(args, 'description') ?? 'Delegated task', parentId },
      notify,
      async () => {
        const otherServer = text(args, 'serverName')
        // The default agent belongs to the default server.
        const defaultAgent =
          otherServer === undefined || otherServer === serverName ? agentId : undefined
        const answer = acpClient.generate(taskOf(args), {
          serverName: otherServer ?? serverName,
          agentId: text(args, 'agentId') ?? defaultAgent,
          signal,
        })
        const { content } = await untilAborted(answer, signal)
        return { text: content, turns: 1 }
      },
    ),
  )
}

/** Reports on a subagent from its start to its one end, and returns its text. */
async function report(
  {
    mode,
    description,
    parentId,
  }: { mode: SubagentInfo['mode']; description: string; parentId: string | undefined },
  notify: Notify,
  work: (id: string, loopCallbacks: LoopCallbacks) => Promise<{ text: string; turns: number }>,
): Promise<string> {
  const id = `sub_${(lastId += 1)}`
  const startedAt = performance.now()
  notify(
    'onSubagentStart',
    Object.freeze({ id, description, mode, ...(parentId === undefined ? {} : { parentId }) }),
  )
  try {
    const done = await work(id, reportsOf(id, notify))
    notify(
      'onSubagentComplete',
      id,
      Object.freeze({ ...done, durationMs: Math.round(performance.now() - startedAt) }),
    )
    return done.text
  } catch (thrown) {
    const error = toError(thrown)
    notify('onSubagentError', id, error)
    throw error
  }
}

/** No `onError`: what ends the loop is reported once, by who called it. */
function reportsOf(id: string, notify: Notify): LoopCallbacks {
  const own = new Map<string, number>()
  const ended = (call: ACPAgentToolCall): void => {
    const startedAt = own.get(call.id)
    if (startedAt === undefined || (call.status !== 'completed' && call.status !== 'failed')) return
    own.delete(call.id)
    const durationMs = Math.round(performance.now() - startedAt)
    const result = {
      id: call.id,
      name: call.title,
      output: call.output ?? '',
      isError: call.status === 'failed',
      durationMs,
    }
    notify('onSubagentToolCallEnd', id, Object.freeze(result))
  }
  return {
    onStreamDelta: (delta) => notify('onSubagentStreamDelta', id, delta),
    onToolCallStart: (call) => notify('onSubagentToolCallStart', id, call),
    onToolCallEnd: (result) => notify('onSubagentToolCallEnd', id, result),
    onAgentToolCall: (call) => {
      own.set(call.id, performance.now())
      const args = call.detail === undefined ? {} : { detail: call.detail }
      notify(
        'onSubagentToolCallStart',
        id,
        Object.freeze({ id: call.id, name: call.title, arguments: args }),
      )
      ended(call)
    },
    onAgentToolCallUpdate: ended,
  }
}

const limited = (finalText: string, maxTurns: number): string =>
  `${finalText}\n\n[Stopped at the limit of ${maxTurns} ${maxTurns === 1 ? 'turn' : 'turns'}: this is what there was by then. Allow more with maxTurns, or ask for less.]`.trimStart()

function taskOf(args: ToolArguments): string {
  const task = text(args, 'task') ?? ''
  if (task.trim() === '')
    throw new ExomonadError(
      'INVALID_ARG',
      'task is empty: say what the subagent is to do, with everything it must know.',
    )
  return task
}

const text = (args: ToolArguments, key: string): string | undefined =>
  typeof args[key] === 'string' ? args[key] : undefined

function positive(args: ToolArguments, key: string): number | undefined {
  const value = args[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1) return value
  throw new ExomonadError(
    'INVALID_ARG',
    `${key} is a whole number from 1 on, not ${String(value)}.`,
  )
}
