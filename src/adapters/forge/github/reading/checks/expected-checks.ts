import { ExomonadError } from '../../../../../domain/errors.ts'
import type { Sha } from '../../../../../domain/ids.ts'
import type { GithubClient } from '../../client/client.ts'
import type { GithubForgeOptions } from '../../options.ts'
import type { RawState } from '../answers.ts'
import { ask } from '../pages.ts'
import { RECENT } from '../queries.ts'

/**
 * Whether checks are still to come on a head that has none: where the recent pull requests into its
 * base had some, or a workflow runs for such pull requests. GitHub and what checks for it take from
 * seconds to minutes to begin.
 */
export interface ExpectedChecks {
  /** It has checks, or is no longer open. */
  settled(state: RawState, hasChecks: boolean): Promise<void>
  /**
   * It has none. Returns for how long that is known, and what is waited for; null where nothing is,
   * or not any more.
   */
  bare(state: RawState): Promise<{ readonly age: number; readonly waits: AwaitedChecks | null }>
}

export interface AwaitedChecks {
  /** `.github/workflows/ci.yml runs for pull requests into main`. */
  readonly why: string
  /** Milliseconds since the epoch. */
  readonly until: number
}

const KEY = 'github:expected-checks'
/** So many pull requests of a base are remembered. */
const RECENTLY = 5
const MOST_BASES = 100
const WORKFLOWS = '.github/workflows'

type Recent = readonly { readonly number: number; readonly had: boolean }[]

interface Remembered {
  /** By base, the one that changed last at the end. */
  readonly bases: Readonly<Record<string, Recent>>
  /** Heads without checks, by pull request: since when they are seen. */
  readonly heads: Readonly<Record<string, { readonly head: string; readonly since: number }>>
}

export function createExpectedChecks({
  client,
  git,
  store,
  settings,
  clock,
  log,
}: Pick<GithubForgeOptions, 'git' | 'store' | 'settings' | 'clock' | 'log'> & {
  client: Pick<GithubClient, 'graphql'>
}): ExpectedChecks {
  let remembered: Remembered | undefined
  /** Of each head, by pull request. */
  const workflows = new Map<
    number,
    { readonly head: string; readonly base: string; readonly path: string | null }
  >()

  /** In memory it is ahead of the store: what is changed meanwhile by another look is not lost. */
  const known = async (): Promise<Remembered> => {
    const stored = remembered === undefined ? await store.snapshots.get(KEY) : undefined
    return (remembered ??= { bases: {}, heads: {}, ...(stored as Partial<Remembered> | undefined) })
  }
  const put = async (change: Remembered): Promise<void> => {
    remembered = change
    await store.snapshots.put(KEY, { ...change })
  }

  const note = async (base: string, recent: Recent): Promise<void> => {
    const { bases, heads } = await known()
    const others = Object.entries(bases).filter(([name]) => name !== base)
    await put({
      heads,
      bases: Object.fromEntries(
        [...others, [base, recent.slice(-RECENTLY)] as const].slice(-MOST_BASES),
      ),
    })
  }

  const noteOne = async ({ number, baseRefName: base }: RawState, had: boolean): Promise<void> => {
    const recent = (await known()).bases[base] ?? []
    const before = recent.find((one) => one.number === number)
    // A head that was not checked takes nothing from what the one before had.
    if (before?.had === had || before?.had === true) return
    await note(base, [...recent.filter((one) => one.number !== number), { number, had }])
  }

  const forget = async ({ number }: RawState): Promise<void> => {
    workflows.delete(number)
    const { bases, heads } = await known()
    if (heads[number] === undefined) return
    const { [number]: _, ...others } = heads
    await put({ bases, heads: others })
  }

  const sinceOf = async ({ number, headRefOid: head }: RawState): Promise<number> => {
    const { bases, heads } = await known()
    const before = heads[number]
    if (before?.head === head) return before.since
    const since = clock()
    await put({ bases, heads: { ...heads, [number]: { head, since } } })
    return since
  }

  /** Asked once per base; what is seen from then on is added. */
  const recentOf = async (base: string): Promise<Recent> => {
    const before = (await known()).bases[base]
    if (before !== undefined) return before
    type Pulls = {
      readonly nodes:
        | readonly ({ readonly number: number; readonly statusCheckRollup: object | null } | null)[]
        | null
    }
    const { data } = await ask<{ repository: { pullRequests: Pulls | null } | null }>(
      client,
      RECENT,
      { base },
    )
    const nodes = data.repository?.pullRequests?.nodes ?? []
    const asked = nodes
      .flatMap((pull) =>
        pull === null ? [] : [{ number: pull.number, had: pull.statusCheckRollup !== null }],
      )
      .reverse()
    const seen = (await known()).bases[base] ?? []
    const recent = [
      ...asked.filter(({ number }) => seen.every((one) => one.number !== number)),
      ...seen,
    ]
    await note(base, recent)
    return recent
  }

  /**
   * The first that runs for it, as its head has them; null where none does, and where the head is
   * not here.
   */
  const workflowOf = async ({
    number,
    headRefOid: head,
    headRefName,
    baseRefName: base,
  }: RawState): Promise<string | null> => {
    const before = workflows.get(number)
    if (before?.head === head && before.base === base) return before.path
    const files = await git.filesIn(head as Sha, WORKFLOWS).catch((error: unknown) => {
      log.debug({ err: error, number }, 'the workflows of a head can’t be read here')
      return []
    })
    // Only here: YAML takes its time to load.
    const { runsForPull } = await import('../../setup/workflows.ts')
    const path =
      files.find(
        (file) => /\.ya?ml$/.test(file.path) && runsForPull(file, { base, head: headRefName }),
      )?.path ?? null
    workflows.set(number, { head, base, path })
    return path
  }

  const whyOf = async (state: RawState): Promise<string | null> => {
    const path = await workflowOf(state)
    if (path !== null) return `${path} runs for pull requests into ${state.baseRefName}`
    const recent = await recentOf(state.baseRefName).catch((error: unknown) => {
      if (!(error instanceof ExomonadError)) throw error
      log.info({ err: error }, 'whether recent pull requests had checks can’t be read')
      return []
    })
    const others = recent.filter(({ number, had }) => had && number !== state.number)
    return others.length > 0
      ? `the last pull requests into ${state.baseRefName} had some`
      : recent.some(({ had }) => had)
        ? `an earlier head of it had some`
        : null
  }

  return {
    settled: async (state, hasChecks) => {
      if (hasChecks) await noteOne(state, true)
      await forget(state)
    },

    bare: async (state) => {
      const age = Math.abs(clock() - (await sinceOf(state)))
      const { checksExpectedWithin: within } = settings()
      const why = age < within * 1000 ? await whyOf(state) : null
      if (why !== null) return { age, waits: { why, until: clock() - age + within * 1000 } }
      if (age >= within * 1000) await noteOne(state, false)
      return { age, waits: null }
    },
  }
}
