import { ExomonadError, toError } from '../errors.ts'
import { guardCallbacks } from '../callbacks.ts'
import { abortReason, anySignal, untilAborted } from '../abort.ts'
import type {
  ACPAgentToolCall,
  ACPChatMessage,
  ACPStreamChunk,
  ACPTokenUsage,
  ACPToolSource,
} from '../client/acp-types.ts'
import type { ConversationMessage } from './conversation.ts'
import { isCallOf } from '../tools/tool-titles.ts'
import { createTurnCounter } from './turns.ts'
import type { AgenticLoop, LoopCallbacks, LoopOptions, LoopResult } from './types.ts'

const DEFAULT_MAX_TURNS = 10

type Notify = ReturnType<typeof guardCallbacks<LoopCallbacks>>

/**
 * Runs an agent to the end of a task: prompts it, lets it call the registry’s tools, counts its
 * turns, and cancels its session at the limit or when aborted. The model’s rounds happen inside the
 * agent; a run is one prompt. Runs of one loop may not overlap.
 */
export function createAgenticLoop(options: LoopOptions): AgenticLoop {
  const maxTurns = options.maxTurns ?? DEFAULT_MAX_TURNS
  if (!Number.isInteger(maxTurns) || maxTurns < 1)
    throw new ExomonadError('INVALID_ARG', `maxTurns is a whole number from 1 on, not ${maxTurns}.`)
  let running = false
  return Object.freeze({
    run: async (
      task: string,
      callbacks: LoopCallbacks = {},
      { signal }: { readonly signal?: AbortSignal | undefined } = {},
    ) => {
      if (running)
        throw new ExomonadError(
          'INVALID_ARG',
          'This loop runs already: wait for its end, or make another loop with another conversation.',
        )
      running = true
      const notify = guardCallbacks(callbacks)
      try {
        if (task.trim() === '')
          throw new ExomonadError('INVALID_ARG', 'The task is empty: say what the agent is to do.')
        return await runOnce(options, maxTurns, task, notify, anySignal(options.signal, signal))
      } catch (thrown) {
        const error = toError(thrown)
        notify('onError', error)
        throw error
      } finally {
        running = false
      }
    },
  })
}

async function runOnce(
  options: LoopOptions,
  maxTurns: number,
  task: string,
  notify: Notify,
  given: AbortSignal,
): Promise<LoopResult> {
  if (given.aborted) throw abortReason(given)
  const { acpClient, toolRegistry, conversation, keepSession = true } = options
  const startedAt = performance.now()
  const history = conversation.messages.map(asChat)
  conversation.addUser(task)

  const ending = new AbortController()
  const signal = anySignal(given, ending.signal)
  const counter = createTurnCounter()
  const limit = new Error(`The limit of ${maxTurns} turns is reached.`)
  let turn = 0
  let text = ''
  let lastText = ''
  /** Text that comes now begins a new message. */
  const closeMessage = (): void => {
    if (text.trim() !== '') lastText = text
    text = ''
  }
  /** Whether the model may go on. */
  const goOn = (): boolean => {
    if (counter.turns > maxTurns) ending.abort(limit)
    else if (counter.turns > turn) notify('onTurn', (turn = counter.turns))
    return !signal.aborted
  }

  const calls = new Set<Promise<unknown>>()
  let toolCalls = 0
  const tools: ACPToolSource = {
    definitions: () => toolRegistry.getToolDefinitions(),
    execute: async (call, { signal: callSignal }) => {
      counter.called()
      try {
        if (!goOn()) throw abortReason(signal)
        toolCalls += 1
        closeMessage()
        notify('onToolCallStart', call)
        const answer = toolRegistry.execute(call, { signal: anySignal(signal, callSignal) })
        const reported = answer.then((result) => {
          conversation.addToolResult(result.name, result.output)
          notify('onToolCallEnd', result)
          return result
        })
        calls.add(reported)
        return await reported.finally(() => calls.delete(reported))
      } catch (thrown) {
        // Of the limit, or of a registry that breaks its word: the run ends with it.
        ending.abort(toError(thrown))
        throw thrown
      } finally {
        counter.answered()
      }
    },
  }

  const announced = new Set<string>()
  const follow = (toolCall: ACPAgentToolCall): void => {
    const first = !announced.has(toolCall.id)
    const isRegistrys = isCallOf(toolRegistry.getToolDefinitions(), toolCall)
    if (first) {
      announced.add(toolCall.id)
      counter.announced(toolCall.id, isRegistrys)
      if (!goOn()) return
      closeMessage()
    }
    if (toolCall.status === 'completed' || toolCall.status === 'failed') counter.ended(toolCall.id)
    if (isRegistrys) return
    if (first) notify('onAgentToolCall', toolCall)
    else notify('onAgentToolCallUpdate', toolCall)
  }

  let usage: ACPTokenUsage | undefined
  let stopReason: string | undefined
  const take = (chunk: ACPStreamChunk): void => {
    if (chunk.type === 'delta') {
      counter.spoke()
      if (!goOn()) return
      text += chunk.text
      notify('onStreamDelta', chunk.text)
    } else if (chunk.type === 'thought') {
      counter.spoke()
      goOn()
    } else if (chunk.type === 'tool_call' || chunk.type === 'tool_call_update') {
      follow(chunk.toolCall)
    } else if (chunk.type === 'complete') {
      usage = chunk.usage
      stopReason = chunk.stopReason
    }
  }

  let hitTurnLimit = false
  try {
    notify('onStreamStart')
    goOn()
    const stream = acpClient.generateStream(task, {
      serverName: options.serverName,
      agentId: options.agentId,
      systemPrompt: options.systemPrompt ?? conversation.systemPrompt,
      history,
      conversation: keepSession ? conversation : undefined,
      tools,
      signal,
    })
    for await (const chunk of heeding(stream, signal)) take(chunk)
    if (signal.aborted) throw abortReason(signal)
  } catch (thrown) {
    if (thrown !== limit) throw thrown
    hitTurnLimit = true
  } finally {
    ending.abort(new Error('The run is over.'))
    // So that the end of every call is reported before the end of the run.
    await Promise.allSettled(calls)
    closeMessage()
    conversation.addAssistant(lastText)
  }
  const durationMs = Math.round(performance.now() - startedAt)
  return Object.freeze({
    finalText: lastText,
    totalTurns: Math.min(counter.turns, maxTurns),
    hitTurnLimit,
    stopReason,
    toolCalls,
    totalUsage: usage,
    durationMs,
  })
}

/**
 * Ends with the signal’s reason as soon as that is aborted, whether or not the stream does: it is
 * asked to end, and not waited for.
 */
async function* heeding<Item>(
  stream: AsyncIterable<Item>,
  signal: AbortSignal,
): AsyncGenerator<Item, void> {
  const iterator = stream[Symbol.asyncIterator]()
  try {
    for (;;) {
      const next = await untilAborted(iterator.next(), signal)
      if (next.done === true) return
      yield next.value
      if (signal.aborted) throw abortReason(signal)
    }
  } finally {
    iterator.return?.()?.catch(() => {})
  }
}

function asChat({ role, content, toolName }: ConversationMessage): ACPChatMessage {
  if (role !== 'tool') return { role, content }
  return { role: 'assistant', content: `(${toolName ?? 'a tool'} answered: ${content})` }
}
