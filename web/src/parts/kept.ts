import { useCallback, useSyncExternalStore } from 'react'

/**
 * What a person has written and not sent: kept in the tab (`sessionStorage`), so that neither
 * another view nor a reload loses it. Values are JSON.
 */
const PREFIX = 'exomonad.kept.'
const listeners = new Map<string, Set<() => void>>()
const values = new Map<string, unknown>()

function read(key: string): unknown {
  if (values.has(key)) return values.get(key)
  let value: unknown
  try {
    const text = sessionStorage.getItem(PREFIX + key)
    value = text === null ? undefined : JSON.parse(text)
  } catch {
    // Of another version of the page, or not to be read.
  }
  values.set(key, value)
  return value
}

function write(key: string, value: unknown): void {
  values.set(key, value)
  try {
    if (value === undefined) sessionStorage.removeItem(PREFIX + key)
    else sessionStorage.setItem(PREFIX + key, JSON.stringify(value))
  } catch {
    // The storage is full: it is kept as long as the page is open.
  }
  for (const listener of listeners.get(key) ?? []) listener()
}

/** Setting undefined forgets it. */
export function useKept<Value>(
  key: string,
): readonly [
  Value | undefined,
  (change: (before: Value | undefined) => Value | undefined) => void,
] {
  const subscribe = useCallback(
    (listener: () => void) => {
      const of = listeners.get(key) ?? new Set()
      listeners.set(key, of.add(listener))
      return () => void of.delete(listener)
    },
    [key],
  )
  const value = useSyncExternalStore(subscribe, () => read(key)) as Value | undefined
  const set = useCallback(
    (change: (before: Value | undefined) => Value | undefined) =>
      write(key, change(read(key) as Value | undefined)),
    [key],
  )
  return [value, set]
}
