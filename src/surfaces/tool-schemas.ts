import type { z } from 'zod'
import { keyField } from './idempotency-key.ts'
import type { AnyTool } from '../tools/define.ts'

interface ToolSchemas {
  /** Refuses keys it doesn’t know: an argument that is misspelt must not be dropped silently. */
  readonly input: z.ZodObject
  readonly output: z.ZodType
  /**
   * The same with ids (`SpawnWorkers`, `SpawnWorkersResult`), for documents that refer to schemas
   * by name, and with the key.
   */
  readonly named: { readonly input: z.ZodObject; readonly output: z.ZodType }
}

const cache = new WeakMap<AnyTool, ToolSchemas>()

/** The schemas a tool is called by. Made once per tool, as ids are registered for good. */
export function schemasOf(tool: AnyTool): ToolSchemas {
  const known = cache.get(tool)
  if (known !== undefined) return known
  const title = tool.name.replace(/(^|_)([a-z])/g, (_match, _dash, letter: string) =>
    letter.toUpperCase(),
  )
  const input = (tool.input as z.ZodObject).strict()
  const output = tool.output as z.ZodType
  const schemas = {
    input,
    output,
    named: {
      input: (tool.keyed === true ? input.extend({ idempotency_key: keyField }) : input).meta({
        id: title,
      }),
      output: output.meta({ id: `${title}Result` }),
    },
  }
  cache.set(tool, schemas)
  return schemas
}
