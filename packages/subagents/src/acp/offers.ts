import type { AcpChoice } from './acp.ts'

/**
 * What a session offers to choose from, as it says so: by config options, or as agents did before
 * there were any. Pure and total.
 */
export interface Offers {
  readonly models: readonly AcpChoice[]
  readonly model: string | null
  /** How the model is set; null where it can’t be. */
  readonly modelBy:
    | { readonly kind: 'option'; readonly configId: string }
    | { readonly kind: 'method' }
    | null
  readonly modes: readonly AcpChoice[]
  readonly mode: string | null
  readonly modeBy:
    | { readonly kind: 'option'; readonly configId: string }
    | { readonly kind: 'method' }
    | null
}

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const listOf = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf) : []
const textOr = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? value : null

const choicesOf = (list: unknown, id: string): AcpChoice[] =>
  listOf(list).flatMap((entry) => {
    const value = textOr(entry[id])
    return value === null ? [] : [{ id: value, name: textOr(entry['name']) ?? value }]
  })

function optionOf(
  configOptions: unknown,
  category: 'model' | 'mode',
): { configId: string; current: string | null; choices: AcpChoice[] } | null {
  const selects = listOf(configOptions).filter((option) => option['type'] === 'select')
  const found =
    selects.find((option) => option['category'] === category) ??
    selects.find((option) => option['id'] === category && option['category'] == null)
  const configId = textOr(found?.['id'])
  if (found === undefined || configId === null) return null
  // Groups hold options of their own.
  const flat = listOf(found['options']).flatMap((entry) =>
    Array.isArray(entry['options']) ? listOf(entry['options']) : [entry],
  )
  return { configId, current: textOr(found['currentValue']), choices: choicesOf(flat, 'value') }
}

/** Of the answer to `session/new` or `session/load`. */
export function offersOf(answer: unknown): Offers {
  const { configOptions, models, modes } = fieldsOf(answer)
  const model = optionOf(configOptions, 'model')
  const mode = optionOf(configOptions, 'mode')
  const oldModels = choicesOf(fieldsOf(models)['availableModels'], 'modelId')
  const oldModes = choicesOf(fieldsOf(modes)['availableModes'], 'id')
  return {
    ...(model === null
      ? {
          models: oldModels,
          model: textOr(fieldsOf(models)['currentModelId']),
          modelBy: oldModels.length === 0 ? null : { kind: 'method' as const },
        }
      : {
          models: model.choices,
          model: model.current,
          modelBy: { kind: 'option' as const, configId: model.configId },
        }),
    ...(oldModes.length === 0 && mode !== null
      ? {
          modes: mode.choices,
          mode: mode.current,
          modeBy: { kind: 'option' as const, configId: mode.configId },
        }
      : {
          modes: oldModes,
          mode: textOr(fieldsOf(modes)['currentModeId']),
          modeBy: oldModes.length === 0 ? null : { kind: 'method' as const },
        }),
  }
}

/** After config options changed, which always come as a whole. */
export function withOptions(offers: Offers, configOptions: unknown): Offers {
  const next = offersOf({ configOptions })
  return {
    ...offers,
    ...(next.modelBy === null
      ? {}
      : { models: next.models, model: next.model, modelBy: next.modelBy }),
    ...(next.modeBy === null || offers.modeBy?.kind === 'method'
      ? {}
      : { modes: next.modes, mode: next.mode, modeBy: next.modeBy }),
  }
}
