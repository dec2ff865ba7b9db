export type TomlValue =
  | string
  | number
  | boolean
  | readonly TomlValue[]
  | { readonly [key: string]: TomlValue }

/**
 * A basic string (toml.io/en/v1.0.0#string). What is no Unicode text, as half a surrogate pair,
 * becomes U+FFFD.
 */
function quoted(text: string): string {
  const wellFormed = text.replace(/[\uD800-\uDBFF][\uDC00-\uDFFF]|[\uD800-\uDFFF]/g, (found) =>
    found.length === 2 ? found : '\uFFFD',
  )
  // JSON escapes all that TOML has escaped but DEL.
  return JSON.stringify(wellFormed).replaceAll('\u007F', '\\u007F')
}

/** A value on one line, as `codex -c key=VALUE` reads it. */
export function toml(value: TomlValue): string {
  if (typeof value === 'string') return quoted(value)
  if (typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`
  return `{ ${Object.entries(value)
    .map(([key, inner]) => `${quoted(key)} = ${toml(inner)}`)
    .join(', ')} }`
}
