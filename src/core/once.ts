import { hash } from 'node:crypto'
import type { StoreVerbs } from '../adapters/store/store.ts'
import { ExomonadError } from '../domain/errors.ts'
import type { Caller } from '../domain/caller.ts'
import type { Deps } from './deps.ts'
import { actorOf } from './agents/directory.ts'

/** What a call under a key knows of an earlier one under the same. */
export interface OnceContext {
  /**
   * When that began, of which the daemon’s end hid the outcome: what it did since then is not done
   * again. Null for the first. Milliseconds since the epoch.
   */
  readonly since: number | null
  /**
   * Writes the result down in the transaction that does what was asked: from then on it was done.
   */
  mark(tx: Pick<StoreVerbs, 'snapshots'>, result: unknown): Promise<void>
  /**
   * From here on something may have been done elsewhere that no failure takes back: a call that
   * fails later is one whose outcome is hidden, like one that the daemon’s end cut off.
   */
  begun(): void
}

export interface Once {
  /**
   * Runs the work once for each key of a caller and tool, however often it is asked for: a call
   * that comes while it runs waits for it, one that comes later gets what came of it. What was
   * refused before it had begun has done nothing and may be asked for again. INVALID_ARG where the
   * key was used for another input.
   */
  run(
    call: {
      caller: Caller
      tool: string
      key: string
      input: unknown
      exact?: readonly string[] | undefined
    },
    work: (once: OnceContext) => Promise<unknown>,
  ): Promise<unknown>
  /** Forgets those that began before then. */
  prune(before: number): Promise<void>
}

interface OnceRecord {
  readonly input: string
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly done: boolean
  readonly result?: unknown
}

const PREFIX = 'once:'
const LONGEST = 200
const digestOf = (value: unknown): string => hash('sha256', JSON.stringify(value))

export function createOnce({ store, gate, clock }: Pick<Deps, 'store' | 'gate' | 'clock'>): Once {
  const running = new Map<string, { input: string; outcome: Promise<unknown> }>()

  const start = async (
    name: string,
    { input, exact }: { input: string; exact: readonly string[] | undefined },
    work: (once: OnceContext) => Promise<unknown>,
  ): Promise<unknown> => {
    const before = (await store.snapshots.get(name)) as OnceRecord | undefined
    if (before !== undefined && before.input !== input) throw reused()
    if (before?.done === true) return before.result
    const at = before?.at ?? clock()
    const record: OnceRecord = { input, at, done: false }
    if (before === undefined) await store.snapshots.put(name, { ...record })
    let [marked, begun] = [false, false]
    const mark: OnceContext['mark'] = async (tx, result) => {
      await tx.snapshots.put(name, { ...record, done: true, result: gate.data(result, exact) })
      marked = true
    }
    try {
      const result = await work({
        since: before === undefined ? null : at,
        mark,
        begun: () => void (begun = true),
      })
      await mark(store, result)
      return result
    } catch (thrown) {
      if (!marked && !begun) await store.snapshots.remove(name)
      throw thrown
    }
  }

  return {
    run: async ({ caller, tool, key, input, exact }, work) => {
      if (key.length > LONGEST)
        throw new ExomonadError(
          'INVALID_ARG',
          `The idempotency key is longer than ${LONGEST} characters.`,
          { field: 'idempotency_key' },
        )
      // Whatever the caller took for a key is not kept.
      const name = PREFIX + digestOf([actorOf(caller), caller.agent.id, tool, key])
      const digest = digestOf(input)
      const now = running.get(name)
      if (now !== undefined) {
        if (now.input !== digest) throw reused()
        return now.outcome
      }
      const outcome = start(name, { input: digest, exact }, work).finally(() =>
        running.delete(name),
      )
      running.set(name, { input: digest, outcome })
      return outcome
    },
    prune: async (before) => {
      for (const [name, record] of await store.snapshots.list(PREFIX))
        if (Number(record['at']) < before) await store.snapshots.remove(name)
    },
  }
}

const reused = (): ExomonadError =>
  new ExomonadError(
    'INVALID_ARG',
    'This idempotency key was used for another input. Take a new one for each call that is to be done.',
    {
      field: 'idempotency_key',
    },
  )
