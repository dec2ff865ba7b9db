import { keptForTab } from '../parts/storage.ts'
import { call, type ToolInput, type ToolName, type ToolResult } from './call.ts'

/** Where the keys are kept of calls that have not succeeded yet: a reload loses none. */
const KEPT = 'exomonad.unfinished'
const MOST = 20
/** Milliseconds after which the same words are meant anew. */
const LIFE = 10 * 60_000

interface Unfinished {
  readonly of: string
  readonly key: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

const running = new Map<string, Promise<unknown>>()

/**
 * A call that changes something, done once: asked for again while it is under way (a double click)
 * it is the same call, and asked for again after its answer was lost, or was a failure, it goes
 * under the same key, by which the daemon knows what it did of it (nothing, where it refused it).
 * Throws ApiError.
 */
export function callOnce<Name extends ToolName>(
  name: Name,
  input: ToolInput<Name>,
  { as }: { readonly as?: string | undefined } = {},
): Promise<ToolResult<Name>> {
  const of = JSON.stringify([name, as ?? null, input])
  const before = running.get(of)
  if (before !== undefined) return before as Promise<ToolResult<Name>>
  const work = async (): Promise<ToolResult<Name>> => {
    const kept = read().find((one) => one.of === of)
    const one = kept ?? { of, key: crypto.randomUUID(), at: Date.now() }
    // Before it is sent: the page may be gone before the answer is.
    write([...read().filter((other) => other.of !== of), one])
    const result = await call(name, input, { key: one.key, ...(as === undefined ? {} : { as }) })
    write(read().filter((other) => other.of !== of))
    return result
  }
  const result = work().finally(() => running.delete(of))
  running.set(of, result)
  return result
}

function read(): readonly Unfinished[] {
  const now = Date.now()
  return stored().filter(({ at }) => now - at < LIFE)
}

function stored(): readonly Unfinished[] {
  try {
    const found: unknown = JSON.parse(keptForTab.get(KEPT) ?? '[]')
    return Array.isArray(found) ? found : []
  } catch {
    return []
  }
}

function write(unfinished: readonly Unfinished[]): void {
  if (unfinished.length === 0) keptForTab.remove(KEPT)
  else keptForTab.set(KEPT, JSON.stringify(unfinished.slice(-MOST)))
}
