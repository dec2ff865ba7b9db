import type { Forge, PullRequestSnapshot, SnapshotResult } from '../../src/adapters/forge/forge.ts'
import type { ForgeBudget } from '../../src/adapters/forge/budget.ts'
import type { BranchName } from '../../src/domain/ids.ts'

/** Test helper: a forge that says what it is set to. */
export interface ScriptedForge {
  readonly forge: Forge
  /** What it returns for each number; a string is a failed read, what is not there is missing. */
  readonly truth: Map<number, PullRequestSnapshot | string>
  /** Each call: the numbers read, or the heads searched for. */
  readonly looks: (readonly number[])[]
  readonly searches: (readonly BranchName[])[]
  readonly checksAsked: number[]
  /** Calls so far, failed ones included. */
  attempts: number
  /** While set, every call fails with it, or returns that it is unknown. */
  failure: Error | undefined
  budget: ForgeBudget | null
  identity: string
  /** What the forge itself found out. */
  hint(number: number): void
}

export function scriptedForge(kind: Forge['kind'] = 'github'): ScriptedForge {
  let listener: (number: number) => void = () => {}
  const answer = async <T>(value: () => T): Promise<T> => {
    scripted.attempts++
    if (scripted.failure !== undefined) throw scripted.failure
    return value()
  }
  const scripted: ScriptedForge = {
    truth: new Map(),
    looks: [],
    searches: [],
    checksAsked: [],
    attempts: 0,
    failure: undefined,
    budget: null,
    identity: 'github.com/1',
    hint: (number) => listener(number),
    forge: {
      kind,
      remote: 'origin',
      identity: () => answer(() => scripted.identity),
      budget: () => scripted.budget,
      find: ({ state, heads }: { state?: string; heads?: readonly BranchName[] }) =>
        answer(() => {
          scripted.searches.push(heads ?? [])
          const found = [...scripted.truth].filter(
            ([, pull]) =>
              typeof pull !== 'string' && pull.state === state && heads?.includes(pull.head.branch),
          )
          return found.map(([number]) => number)
        }),
      // A read that fails is unknown, as on both forges: why follows from what throws.
      snapshots: async (numbers: readonly number[]) => {
        scripted.attempts++
        const { failure } = scripted
        if (failure !== undefined)
          return numbers.map((number): SnapshotResult => ({ number, unknown: failure.message }))
        scripted.looks.push([...numbers])
        return numbers.map((number): SnapshotResult => {
          const found = scripted.truth.get(number)
          if (found === undefined) return { number, missing: true }
          return typeof found === 'string'
            ? { number, unknown: found }
            : { number, snapshot: { ...found, number } }
        })
      },
      ensureChecks: async (number: number) => void scripted.checksAsked.push(number),
      onHint: (hinted: (number: number) => void) => {
        listener = hinted
        return () => {}
      },
    } as unknown as Forge,
  }
  return scripted
}
