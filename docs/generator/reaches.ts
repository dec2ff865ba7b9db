import { sampleOfEvent } from '../../src/delivery/render/check-templates.ts'
import type { Tells } from '../../src/events/define.ts'
import { definitionOf, type EventType } from '../../src/events/event.ts'
import { jsonSchema, type SchemaNode } from './schema-text.ts'

/** Values of a field that may make a difference. */
function valuesOf(node: SchemaNode | undefined): readonly unknown[] {
  if (node?.enum !== undefined) return node.enum
  if (node?.anyOf !== undefined) return node.anyOf.flatMap(valuesOf)
  switch (node?.type) {
    case 'boolean':
      return [true, false]
    case 'null':
      return [null]
    case 'array':
      return [[], ['x'], ['x', 'x']]
    case 'integer':
    case 'number':
      return [0, 1_000]
    default:
      return ['', 'x', undefined]
  }
}

/** Whom an event may reach and how, over all that it may carry: `owner: wake; parent: carry or wake`. */
export function reachesOf(type: EventType): string {
  const definition = definitionOf(type)
  const { tells } = definition ?? {}
  if (definition === undefined || tells === undefined) return ''
  const { properties: fields = {}, required = [] } = jsonSchema(definition.payload, 'output')
  const read = new Set<string>()
  const payload = new Proxy(sampleOfEvent(type) as Record<string, unknown>, {
    get: (target, key) => {
      if (typeof key === 'string') read.add(key)
      return Reflect.get(target, key) as unknown
    },
  })
  tells(payload)
  let payloads: Record<string, unknown>[] = [{ ...sampleOfEvent(type) }]
  for (const field of read)
    payloads = payloads.flatMap((one) =>
      [...valuesOf(fields[field]), ...(required.includes(field) ? [] : [undefined])].map(
        (value) => ({ ...one, [field]: value }),
      ),
    )
  const seen = payloads.map((one) => tells(one))
  const target = (name: keyof Tells): string => {
    const reaches = new Set(seen.map((one) => one[name] ?? 'nothing'))
    const told = ['wake', 'carry', 'log'].filter((reach) => reaches.has(reach as 'wake'))
    if (told.length === 0) return ''
    return `${name}: ${told.join(' or ')}${reaches.has('nothing') ? ', if at all' : ''}`
  }
  return (['owner', 'partner', 'parent', 'siblings', 'human'] as const)
    .map(target)
    .filter((text) => text !== '')
    .join('; ')
}
