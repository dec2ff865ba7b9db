import type { ToolInput } from '../../api/call.ts'
import { faultOf, valueOf, type SpawnForm, type Values } from './schema-form.ts'

/** One agent that is to be spawned, as far as it is written. */
export interface SpecDraft {
  /** Of the card, and no part of what is sent. */
  readonly id: string
  readonly values: Values
}

/** All that is written into the form; kept, so that a reload loses nothing. */
export interface Draft {
  readonly kind: string
  /** Id of the agent whose branch they start from; empty for the root. */
  readonly base: string
  readonly specs: readonly SpecDraft[]
  readonly options: Values
  /**
   * What was asked for last without an answer: asked for again unchanged it is the same call, and
   * nobody is spawned twice.
   */
  readonly asked?: { readonly key: string; readonly of: string }
}

/** Where something is wrong: of a field its path (`specs[0].name`), of a spec `specs[0]`, else ''. */
export type Faults = Readonly<Record<string, string>>

export const newSpec = (): SpecDraft => ({ id: crypto.randomUUID(), values: {} })

export const newDraft = (): Draft => ({ kind: 'worker', base: '', specs: [newSpec()], options: {} })

/** Whether nothing is written into it. */
export const isBlank = ({ values }: SpecDraft): boolean =>
  Object.values(values).every((value) => value === false || value === '')

/** What the tool is given. */
export function inputOf(form: SpawnForm, draft: Draft): ToolInput<'spawn'> {
  const record = (fields: SpawnForm['spec'], values: Values) =>
    Object.fromEntries(
      fields
        .map((field) => [field.name, valueOf(field, values[field.name] ?? field.initial)] as const)
        .filter(([, value]) => value !== undefined),
    )
  return {
    kind: draft.kind,
    specs: draft.specs.map(({ values }) => record(form.spec, values)),
    ...record(form.options, draft.options),
  } as unknown as ToolInput<'spawn'>
}

/** What can be said to be wrong before the daemon is asked. */
export function faultsOf(form: SpawnForm, draft: Draft): Faults {
  const faults: Record<string, string> = {}
  draft.specs.forEach(({ values }, index) => {
    const at = `specs[${index}]`
    for (const field of form.spec) {
      const fault = faultOf(field, values[field.name])
      if (fault !== null) faults[`${at}.${field.name}`] = fault
    }
    if (isGiven(values['issue'])) return
    if (!isGiven(values['name'])) faults[`${at}.name`] = 'It needs a name: its branch ends with it.'
    if (!isGiven(values['prompt']))
      faults[`${at}.prompt`] = 'Say all that it is to do: it knows nothing but this.'
  })
  const names = draft.specs.map(({ values }) => String(values['name'] ?? '').trim())
  names.forEach((name, index) => {
    if (name !== '' && names.indexOf(name) < index)
      faults[`specs[${index}].name`] ??= `“${name}” is above already: each needs a name of its own.`
  })
  for (const field of form.options) {
    const fault = faultOf(field, draft.options[field.name])
    if (fault !== null) faults[field.name] = fault
  }
  return faults
}

const isGiven = (value: string | boolean | undefined): boolean =>
  typeof value === 'string' && value.trim() !== ''

/** Written by this page; anything else that lies there is nothing. */
export function readDraft(text: string | null): Draft {
  try {
    const found: unknown = JSON.parse(text ?? 'null')
    if (isDraft(found)) return found
  } catch {
    // Cut off, or of another version.
  }
  return newDraft()
}

function isDraft(found: unknown): found is Draft {
  if (typeof found !== 'object' || found === null) return false
  const { kind, base, specs, options } = found as Partial<Record<keyof Draft, unknown>>
  return (
    typeof kind === 'string' &&
    typeof base === 'string' &&
    isValues(options) &&
    Array.isArray(specs) &&
    specs.length > 0 &&
    specs.every(
      (spec: Partial<SpecDraft> | null) => typeof spec?.id === 'string' && isValues(spec.values),
    )
  )
}

const isValues = (found: unknown): found is Values =>
  typeof found === 'object' &&
  found !== null &&
  Object.values(found).every((value) => typeof value === 'string' || typeof value === 'boolean')
