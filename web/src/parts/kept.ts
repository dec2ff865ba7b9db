import { useCallback, useSyncExternalStore } from 'react'
import { keptForTab } from './storage.ts'

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
    const text = keptForTab.get(PREFIX + key)
    value = text === null ? undefined : JSON.parse(text)
  } catch {
    // Of another version of the page.
  }
  values.set(key, value)
  return value
}

function write(key: string, value: unknown): void {
  values.set(key, value)
  if (value === undefined) keptForTab.remove(PREFIX + key)
  else keptForTab.set(PREFIX + key, JSON.stringify(value))
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

/** As `useState`, of what a person chose to look at: the same when they come back to the view. */
export function useKeptState<Value>(
  key: string,
  initial: Value,
): readonly [Value, (value: Value) => void] {
  const [value, set] = useKept<Value>(key)
  return [value ?? initial, useCallback((next) => set(() => next), [set])]
}
