import { existsSync, readdirSync } from 'node:fs'

/** So long the one that makes the store is waited for. Milliseconds. */
const LIMIT = 60_000

/** By the folder of the store: the start that makes it. */
const starts = new Map<string, Promise<void>>()

/** It is named after the release channel. */
const isMade = (folder: string): boolean =>
  existsSync(folder) && readdirSync(folder).some((name) => /^opencode.*\.db$/.test(name))

/**
 * OpenCode’s first start in a home makes its database. Another one that starts meanwhile finds that
 * locked, and shows an empty screen from then on (1.18.33: of four at once, in one of four homes),
 * so it waits until the first one is up, or `limit` is over. Returns what to call then, where this
 * is the one that makes it.
 */
export async function firstStart(
  folder: string,
  limit: number = LIMIT,
): Promise<(() => void) | undefined> {
  for (let before; (before = starts.get(folder)) !== undefined;) await before
  if (isMade(folder)) return undefined
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = (): void => {
    if (starts.get(folder) === promise) starts.delete(folder)
    clearTimeout(late)
    resolve()
  }
  const late = setTimeout(end, limit)
  late.unref()
  starts.set(folder, promise)
  return end
}
