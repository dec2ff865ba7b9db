import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Liquid, Template } from 'liquidjs'
import { z } from 'zod'
import type { Finding } from '../../config/finding.ts'
import { EVENTS, type EventType } from '../../events/event.ts'
import type { PromptData, PromptName } from './render.ts'
import type { EventContext, TemplateParty } from './template-data.ts'
import { createTemplateEngine } from './template-engine.ts'

const party: TemplateParty = {
  ...{ id: 'x', name: 'x', branch: 'x', kind: 'x' },
  ...{ base: 'x', filed: false },
}
const context: EventContext = { agent: party, parent: party, recipient: party, actor_name: 'x' }

const promptData: Required<PromptData> & Record<'worktree_warning' | 'guidance', string> = {
  task: 'x',
  name: 'x',
  agent_id: 'x',
  branch: 'x',
  base: 'x',
  worktree: 'x',
  parent_id: 'x',
  parent_name: 'x',
  shares_worktree: false,
  slot: '1',
  port_base: '20020',
  context: 'fresh',
  transcript: 'x',
  facts: [{ key: 'x', value: 'x' }],
  system_prompt: 'x',
  tools: [{ name: 'x', description: 'x' }],
  worktree_warning: 'x',
  guidance: 'x',
}

/** Prompts that are part of others: these may say nothing. */
const PARTS: readonly PromptName[] = ['worktree-warning', 'guidance']
const PROMPTS = 'prompts/'

/**
 * What is wrong with the user’s own templates: names that stand for nothing, what does not parse,
 * variables that their event doesn’t have, in every branch, and a prompt that is empty. An event’s
 * template that is empty is silence, which may be meant. No folder: nothing.
 */
export async function checkTemplates(folder: string, shippedFolder: string): Promise<Finding[]> {
  const [own, shipped] = await Promise.all([templatesIn(folder), templatesIn(shippedFolder)])
  const engine = createTemplateEngine()
  const findings = await Promise.all(
    own.map(async (name): Promise<Finding[]> => {
      const at = (problem: string, line: number | null = null): Finding => ({
        key: `templates/${name}.liquid`,
        line,
        problem,
      })
      if (!shipped.includes(name))
        return [
          at(
            `nothing is sent under this name; the names are ${namesLike(name, shipped).join(', ')}`,
          ),
        ]
      const text = await readFile(join(folder, `${name}.liquid`), 'utf8').catch(
        (error: Error) => error,
      )
      if (text instanceof Error) return [at(`it can’t be read: ${text.message}`)]
      if (
        name.startsWith(PROMPTS) &&
        text.trim() === '' &&
        !PARTS.some((part) => name === PROMPTS + part)
      )
        return [at('it is empty, and an agent would begin without its task')]
      return faultsOf(engine, text, dataOf(name)).map(({ line, problem }) =>
        at(`${problem}; the shipped one is used as long as that is so`, line),
      )
    }),
  )
  return findings.flat()
}

/** Names without `.liquid`, those of the folder `prompts` with it in front. */
async function templatesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  return entries
    .filter((entry) => entry.endsWith('.liquid'))
    .map((entry) => entry.slice(0, -'.liquid'.length))
    .toSorted()
}

const namesLike = (name: string, shipped: readonly string[]): string[] =>
  shipped
    .filter(
      (other) =>
        other.startsWith(PROMPTS) === name.startsWith(PROMPTS) &&
        other.split('.')[0] === name.split('.')[0],
    )
    .slice(0, 12)

interface Fault {
  readonly line: number | null
  readonly problem: string
}

function faultsOf(engine: Liquid, text: string, data: Readonly<Record<string, unknown>>): Fault[] {
  let parsed: Template[]
  let faults: Fault[]
  try {
    parsed = engine.parse(text)
    faults = unknownVariables(engine, parsed, data)
  } catch (error) {
    return [faultOf(error)]
  }
  if (faults.length > 0) return faults
  // What loops name is known only when it is filled in.
  try {
    engine.renderSync(parsed, data)
    return []
  } catch (error) {
    return [faultOf(error)]
  }
}

function unknownVariables(
  engine: Liquid,
  parsed: Template[],
  data: Readonly<Record<string, unknown>>,
): Fault[] {
  const uses = Object.values(engine.analyzeSync(parsed).globals).flat()
  return uses.flatMap(({ segments, location }) => {
    let value: unknown = data
    for (const [index, segment] of segments.entries()) {
      if (
        typeof value !== 'object' ||
        value === null ||
        Array.isArray(value) ||
        typeof segment !== 'string'
      )
        break
      if (!Object.hasOwn(value, segment)) {
        if (segment === 'size') break
        const known = Object.keys(value).join(', ')
        return [
          {
            line: location.row,
            problem: `there is no ${segments.slice(0, index + 1).join('.')}; known here: ${known}`,
          },
        ]
      }
      value = (value as Record<string, unknown>)[segment]
    }
    return []
  })
}

function faultOf(error: unknown): Fault {
  const [, problem = '', line] =
    /^(.*?)(?:, line:(\d+), col:\d+)?$/s.exec((error as Error).message.split('\n', 1)[0] ?? '') ??
    []
  return { line: line === undefined ? null : Number(line), problem }
}

/** Something of everything that the template of this name may be given. */
function dataOf(name: string): Readonly<Record<string, unknown>> {
  if (name.startsWith(PROMPTS)) return promptData
  return { ...sampleOfEvent(name as EventType), ...context }
}

/** A payload with something in every part, the text in it being `text`. */
export const sampleOfEvent = (type: EventType, text = 'x'): object =>
  sampleOf(z.toJSONSchema(EVENTS[type].payload), text) as object

function sampleOf(schema: z.core.JSONSchema.BaseSchema, text: string): unknown {
  const branch = schema.anyOf?.find((one) => (one as z.core.JSONSchema.BaseSchema).type !== 'null')
  if (branch !== undefined) return sampleOf(branch as z.core.JSONSchema.BaseSchema, text)
  if (schema.enum !== undefined) return schema.enum[0]
  const [type] = [schema.type].flat() // `['number', 'null']` of what may be null
  switch (type) {
    case 'object':
      return Object.fromEntries(
        Object.entries(schema.properties ?? {}).map(([key, part]) => [
          key,
          sampleOf(part as z.core.JSONSchema.BaseSchema, text),
        ]),
      )
    case 'array':
      return [sampleOf(schema.items as z.core.JSONSchema.BaseSchema, text)]
    case 'number':
    case 'integer':
      return 1
    case 'boolean':
      return true
    default:
      return text
  }
}
