import type { Usage } from '../../domain/records.ts'

type Tokens = Usage['models'][string]

/** Both together; null where neither is known. */
export function addUsage(one: Usage | null, other: Usage | null): Usage | null {
  if (one === null || other === null) return one ?? other
  const models: Record<string, Tokens> = { ...one.models }
  for (const [model, tokens] of Object.entries(other.models)) {
    const before = models[model] ?? { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
    models[model] = {
      input: before.input + tokens.input,
      output: before.output + tokens.output,
      cacheRead: before.cacheRead + tokens.cacheRead,
      cacheWrite: before.cacheWrite + tokens.cacheWrite,
    }
  }
  return { models }
}
