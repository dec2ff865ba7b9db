import { ExomonadError, toError } from '../errors.ts'
import { abortReason, untilAborted } from '../abort.ts'
import type { ToolContext, ToolHandler, ToolRegistry } from '../loop/types.ts'
import type { ToolArguments, ToolParameter, ToolDefinition } from './tool-types.ts'

export interface ToolRegistryOptions {
  /** Registered at once, in order. */
  readonly tools?:
    | readonly { readonly definition: ToolDefinition; readonly handler: ToolHandler }[]
    | undefined
}

/** What a handler has to end in order once its call was aborted. Milliseconds. */
const GRACE = 1000
const NAME = /^[A-Za-z0-9_-]{1,64}$/

/** Tools by name, and how they are called. Nothing is shared between registries. */
export function createToolRegistry(options: ToolRegistryOptions = {}): ToolRegistry {
  const tools = new Map<
    string,
    { readonly definition: ToolDefinition; readonly handler: ToolHandler }
  >()

  const register = (definition: ToolDefinition, handler: ToolHandler): void => {
    const { name } = definition
    if (!NAME.test(name)) {
      throw new ExomonadError(
        'INVALID_ARG',
        `A tool cannot be named "${name}": use at most 64 of a–z, A–Z, 0–9, _ and -.`,
        { found: name },
      )
    }
    if (tools.has(name))
      throw new ExomonadError(
        'INVALID_ARG',
        `There is a tool named ${name} already: unregister it first, or use another name.`,
      )
    tools.set(name, { definition: Object.freeze({ ...definition }), handler })
  }

  const run = async (args: ToolArguments, context: ToolContext): Promise<string> => {
    const { call, signal } = context
    const tool = tools.get(call.name)
    if (tool === undefined) {
      const known = [...tools.keys()].join(', ')
      throw new ExomonadError(
        'INVALID_ARG',
        `There is no tool named ${call.name}${known === '' ? '.' : `: there are ${known}.`}`,
      )
    }
    if (signal.aborted) throw abortReason(signal)
    checkArguments(tool.definition, args)
    // Asynchronous, so that a handler that throws at once is no different from one that rejects.
    return await untilAborted((async () => await tool.handler(args, context))(), signal, GRACE)
  }

  const registry: ToolRegistry = {
    register,
    unregister: (name) => tools.delete(name),
    has: (name) => tools.has(name),
    getToolDefinition: (name) => tools.get(name)?.definition,
    getToolDefinitions: () => [...tools.values()].map(({ definition }) => definition),
    execute: async (call, { signal = new AbortController().signal } = {}) => {
      const startedAt = performance.now()
      const result = (output: string, isError: boolean) =>
        Object.freeze({
          id: call.id,
          name: call.name,
          output,
          isError,
          durationMs: Math.round(performance.now() - startedAt),
        })
      try {
        return result(String(await run(call.arguments ?? {}, { call, signal })), false)
      } catch (thrown) {
        return result(toError(thrown).message, true)
      }
    },
    get toolCount() {
      return tools.size
    },
  }
  for (const { definition, handler } of options.tools ?? []) register(definition, handler)
  return Object.freeze(registry)
}

function checkArguments({ name, parameters }: ToolDefinition, args: ToolArguments): void {
  for (const [key, parameter] of Object.entries(parameters)) {
    const value = args[key]
    if (value === undefined || value === null) {
      if (parameter.required === true)
        throw new ExomonadError(
          'INVALID_ARG',
          `${name} needs ${key} (${parameter.type}): ${parameter.description}`,
        )
      continue
    }
    if (!isOfType(value, parameter.type))
      throw new ExomonadError(
        'INVALID_ARG',
        `${key} of ${name} must be of type ${parameter.type}: ${parameter.description}`,
      )
    if (parameter.enum !== undefined && !parameter.enum.includes(value as string | number)) {
      throw new ExomonadError(
        'INVALID_ARG',
        `${key} of ${name} must be one of ${parameter.enum.join(', ')}.`,
      )
    }
  }
}

function isOfType(value: unknown, type: ToolParameter['type']): boolean {
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && !Array.isArray(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}
