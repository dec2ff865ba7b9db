import type { AcpTokens, AcpUsage } from './acp.ts'

type Fields = Readonly<Record<string, unknown>>
const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}
const count = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0 ? Math.floor(value) : 0

const any = (tokens: AcpTokens): boolean =>
  tokens.input + tokens.output + tokens.cacheRead + tokens.cacheWrite > 0

/**
 * What the answer to a prompt says of the tokens that it took, under `model` where it names none.
 * Null where it doesn’t say. Pure and total.
 */
export function usageOf(answer: unknown, model: string): AcpUsage | null {
  const { usage, _meta } = fieldsOf(answer)
  const reported = fieldsOf(usage)
  const [input, output, cacheRead, cacheWrite] = [
    'inputTokens',
    'outputTokens',
    'cachedReadTokens',
    'cachedWriteTokens',
  ].map((name) => count(reported[name])) as [number, number, number, number]
  // Some count thoughts into what was written, some beside it; the total decides, and what was
  // thought is paid for as written.
  const rest =
    reported['totalTokens'] === undefined
      ? Infinity
      : count(reported['totalTokens']) - input - output - cacheRead - cacheWrite
  const thoughts = Math.min(count(reported['thoughtTokens']), Math.max(0, rest))
  const whole: AcpTokens = { input, output: output + thoughts, cacheRead, cacheWrite }
  const quota = fieldsOf(fieldsOf(_meta)['quota'])
  if (any(whole)) return { models: { [onlyModel(quota) ?? model]: whole } }
  const perModel = (Array.isArray(quota['model_usage']) ? quota['model_usage'] : []).flatMap(
    (raw: unknown) => {
      const entry = fieldsOf(raw)
      const tokens = counted(entry['token_count'])
      return typeof entry['model'] === 'string' && any(tokens)
        ? [[entry['model'], tokens] as const]
        : []
    },
  )
  if (perModel.length > 0) return { models: Object.fromEntries(perModel) }
  const counts = counted(quota['token_count'])
  return any(counts) ? { models: { [model]: counts } } : null
}

/** What is chosen may be `default` or `haiku`; prices are by the name of what answered. */
function onlyModel(quota: Fields): string | null {
  const [entry, ...more] = Array.isArray(quota['model_usage']) ? quota['model_usage'] : []
  const name = fieldsOf(entry)['model']
  return more.length === 0 && typeof name === 'string' && name !== '' ? name : null
}

function counted(raw: unknown): AcpTokens {
  const tokens = fieldsOf(raw)
  return {
    input: count(tokens['input_tokens']),
    output: count(tokens['output_tokens']),
    cacheRead: 0,
    cacheWrite: 0,
  }
}
