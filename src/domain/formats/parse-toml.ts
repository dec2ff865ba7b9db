import { parse, TomlError } from 'smol-toml'
import { MAX_DEPTH } from './parse-json.ts'

/**
 * The only reader of TOML: what is nested too deeply, by brackets or by dots in keys, is a
 * TomlError like any other fault (see parse-json.ts).
 */
export function parseToml(text: string): Record<string, unknown> {
  const document = parse(text, { maxDepth: MAX_DEPTH })
  let level: unknown[] = [document]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > MAX_DEPTH)
      throw new TomlError(`keys are nested deeper than ${MAX_DEPTH} levels`, { toml: text, ptr: 0 })
    level = level
      .flatMap((value) => Object.values(value as object))
      .filter((value) => typeof value === 'object' && value !== null)
  }
  return document
}
