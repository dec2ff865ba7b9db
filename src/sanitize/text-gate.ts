import { ExomonadError } from '../domain/errors.ts'
import { MAX_DEPTH } from '../domain/formats/parse-json.ts'
import { removeControls } from './controls.ts'
import { redact, type KnownSecrets } from './secrets.ts'

/**
 * The one gate for text that is stored, published or shown: no control characters, no secrets.
 * Everything between the edge of the core and what it keeps goes through it: what tools are given
 * and return, rows of the store, what is asked of and read from a forge, messages of commits.
 * Exempt is only what must stay byte for byte, named where it is (`exact` of a tool): commands,
 * standard input.
 */
export interface TextGate {
  text(text: string): string
  /**
   * Plain data with every text in it, keys included, clean; the same value where nothing had to go.
   * `exact`: top-level keys left as they are. INVALID_ARG for what is nested deeper than MAX_DEPTH.
   */
  data<T>(value: T, exact?: readonly string[]): T
}

export function createTextGate(known?: KnownSecrets): TextGate {
  const text = (value: string): string => redact(removeControls(value), known)
  const clean = (value: unknown, depth: number): unknown => {
    if (depth > MAX_DEPTH)
      throw new ExomonadError(
        'INVALID_ARG',
        `The input is nested deeper than ${MAX_DEPTH} levels.`,
        { allowed: `at most ${MAX_DEPTH} levels` },
      )
    if (typeof value === 'string') return text(value)
    if (Array.isArray(value)) {
      const items = value.map((item) => clean(item, depth + 1))
      return items.every((item, index) => item === value[index]) ? value : items
    }
    if (!isPlain(value)) return value
    const entries = Object.entries(value)
    // Keys that come out alike get a number: no value takes another’s place.
    const taken = new Set(entries.flatMap(([key]) => (text(key) === key ? [key] : [])))
    const cleaned = entries.map(
      ([key, item]) =>
        [taken.has(key) ? key : freeKey(text(key), taken), clean(item, depth + 1)] as const,
    )
    return cleaned.every(
      ([key, item], index) => key === entries[index]?.[0] && item === entries[index][1],
    )
      ? value
      : Object.fromEntries(cleaned)
  }
  return {
    text,
    data: <T>(value: T, exact: readonly string[] = []): T => {
      const cleaned = clean(value, 0)
      if (exact.length === 0 || cleaned === value || !isPlain(cleaned) || !isPlain(value))
        return cleaned as T
      return {
        ...cleaned,
        ...Object.fromEntries(exact.flatMap((key) => (key in value ? [[key, value[key]]] : []))),
      } as T
    },
  }
}

function freeKey(wanted: string, taken: Set<string>): string {
  let key = wanted
  for (let number = 2; taken.has(key); number++) key = `${wanted} ${number}`
  taken.add(key)
  return key
}

const isPlain = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' &&
  value !== null &&
  [Object.prototype, null].includes(Object.getPrototypeOf(value))
