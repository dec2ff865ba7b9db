import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { mcpTool } from '../../../../src/surfaces/mcp/tool-schemas.ts'
import { describeTool } from '../../../../src/surfaces/run-tool.ts'
import { ALL_TOOLS } from '../../../../src/tools/all.ts'
import { defineTool, type AnyTool } from '../../../../src/tools/define.ts'

const toolOf = (output: z.ZodType): AnyTool =>
  defineTool({
    name: 't',
    description: 'd',
    audience: ['tl'],
    listed: true,
    input: z.object({}),
    output,
    handler: async () => undefined as never,
  })

describe('annotations', () => {
  it('say which tools change nothing, and which take away what can’t be had back', () => {
    const hints = (hint: 'readOnlyHint' | 'destructiveHint') =>
      ALL_TOOLS.filter((tool) => tool.listed && mcpTool(tool).annotations[hint]).map(
        ({ name }) => name,
      )
    expect(hints('readOnlyHint').toSorted()).toEqual([
      'agent_result',
      'agent_status',
      'pr_diff',
      'radar',
    ])
    expect(hints('destructiveHint').toSorted()).toEqual(['kill', 'kill_agent'])
  })
})

describe('tools as MCP lists them', () => {
  it.each(ALL_TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s takes and gives objects, and says no dialect',
    (_name, tool) => {
      const listed = mcpTool(tool)
      for (const schema of [listed.inputSchema, listed.outputSchema]) {
        expect(schema.type).toBe('object')
        expect(schema).not.toHaveProperty('$schema')
      }
      expect(Object.keys(listed).toSorted()).toEqual([
        'annotations',
        'description',
        'inputSchema',
        'name',
        'outputSchema',
      ])
    },
  )

  it('give a union of objects as it is', () => {
    const tool = toolOf(
      z.discriminatedUnion('status', [
        z.object({ status: z.literal('a') }),
        z.object({ status: z.literal('b'), n: z.number() }),
      ]),
    )
    expect(mcpTool(tool).outputSchema).toMatchObject({
      type: 'object',
      oneOf: [{ type: 'object' }, { type: 'object' }],
    })
  })

  // What is no object would have to be wrapped here, and have another shape than on the command
  // line.
  it.each(ALL_TOOLS.map((tool) => [tool.name, tool] as const))(
    '%s has one shape everywhere: an object, or one of several',
    (_name, tool) => {
      type Described = { type?: string; oneOf?: Described[]; anyOf?: Described[] }
      const isObjects = ({ type, oneOf, anyOf }: Described): boolean =>
        type === 'object' || (oneOf ?? anyOf)?.every(isObjects) === true
      expect(isObjects(describeTool(tool).outputSchema as Described)).toBe(true)
    },
  )
})
