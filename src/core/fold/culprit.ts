import type { MergeLink, MergeResults, MergeStrategy } from '../../adapters/forge/merge-results.ts'
import type { StoredEvent } from '../../domain/records.ts'
import { asBranchName, type Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import { ownerOf } from '../pulls/merge/settle.ts'
import { pullFacts, type Landing, type RedResult } from './landing.ts'
import { firstRed } from './search.ts'
import type { Guilty } from './guilty.ts'

/** Finds out with what a pull request is red whose own checks pass. */
export interface CulpritSearch {
  /**
   * Gives the landing up and reports to owner and lead what is known; goes on looking for the one
   * it is red together with, and reports that.
   */
  judge(guilty: Guilty): Promise<RedResult>
  /**
   * Of files that nothing has checked, in a place before all that waits: it goes on with something
   * that had its turn. Undefined: this forge stops.
   */
  check(
    link: Pick<MergeLink, 'sha' | 'tree'>,
    kind: 'result' | 'base',
  ): Promise<'green' | 'red' | undefined>
  /**
   * The check of a pull request itself was red: on a base that has moved, that may be the base’s
   * doing. Resolves when it is noted that this is to be looked into.
   */
  note(event: StoredEvent): Promise<void>
  /** Searches that a restart cut off. */
  resume(): Promise<void>
  settled(): Promise<void>
}

/**
 * What is looked for: the first commit of the base, after `from` and up to `to`, on which the pull
 * request is red.
 */
interface Search {
  readonly facts: ReturnType<typeof pullFacts>
  readonly head: Sha
  readonly strategy: MergeStrategy
  readonly from: Sha
  readonly to: Sha
  /** Whether it is known to be green on `from`. */
  readonly greenBefore: boolean
}

const PREFIX = 'culprit:'
/** A base that moved further is not searched: whoever is behind so far rebases first. */
const MOST_COMMITS = 200

export function createCulpritSearch({
  store,
  git,
  publisher,
  log,
  results,
}: Pick<Deps, 'store' | 'git' | 'publisher' | 'log'> & { results: MergeResults }): CulpritSearch {
  const running = new Set<Promise<void>>()

  const agentOn = async (branch: string) => ownerOf(await store.agents.list(), branch)?.id ?? null

  const check = async (
    link: Pick<MergeLink, 'sha' | 'tree'>,
    kind: 'result' | 'base',
  ): Promise<'green' | 'red' | undefined> => {
    const before = await results.known(link.tree)
    if (before.state !== 'unknown') return before.state === 'passed' ? 'green' : 'red'
    const slot = await results.slot({ front: true })
    if (slot === null) return undefined
    try {
      const { status } = await slot.check({
        ...link,
        label: kind === 'base' ? 'base' : 'part',
        kind,
      })
      return status === 'passed' ? 'green' : status === 'failed' ? 'red' : undefined
    } finally {
      slot.release()
    }
  }

  /**
   * Commits that a base was moved to in between; none where it was rewritten, or has moved too far.
   */
  const commitsBetween = async (from: Sha, to: Sha) => {
    if (from === to || !(await git.isAncestor(from, to))) return []
    const commits = await git.firstParents(from, to)
    return commits.length > MOST_COMMITS ? [] : commits
  }

  const look = async ({ facts, head, strategy, from, to, greenBefore }: Search): Promise<void> => {
    const base = asBranchName(facts.base)
    const commits = await commitsBetween(from, to)
    const onto = async (index: number): Promise<MergeLink | undefined> =>
      (
        await results.build(index === 0 ? from : commits[index - 1]!.sha, [
          { number: facts.number, head, strategy },
        ])
      ).links[0]
    const probe = async (index: number) => {
      const link = await onto(index)
      return link === undefined ? undefined : check(link, 'result')
    }
    if (commits.length === 0 || (!greenBefore && (await probe(0)) !== 'green')) return
    const parallel = await results.parallel()
    const found =
      commits.length === 1
        ? { red: 1 }
        : await firstRed({ green: 0, red: commits.length, probes: () => parallel, probe })
    const commit = found === undefined ? undefined : commits[found.red - 1]
    const link = found === undefined ? undefined : await onto(found.red)
    if (commit === undefined || link === undefined) return
    const partner = (await results.mergedAs(base, [commit.sha])).get(commit.sha) ?? null
    const { logTail, logUrl } = await results.known(link.tree)
    await publisher.publish({
      type: 'landing.culprit',
      agentId: await agentOn(facts.head),
      actor: 'daemon',
      payload: {
        ...facts,
        partner,
        commit: commit.sha,
        subject: commit.subject,
        log: logTail,
        log_url: logUrl,
      },
      dedupeKey: `culprit:${facts.url}:${head}:${commit.sha}`,
    })
  }

  /** In the background; what a restart cuts off goes on after it. */
  const begin = (key: string, search: Search): void => {
    const done = look(search)
      .then(() => store.snapshots.remove(key))
      .catch((error: unknown) =>
        log.warn(
          { err: error, number: search.facts.number },
          'what a pull request is red together with could not be found',
        ),
      )
      .finally(() => running.delete(done))
    running.add(done)
  }

  const startOf = async (
    landing: Landing,
    onto: Sha,
  ): Promise<{ from: Sha; greenBefore: boolean }> => {
    const passed = await results.passedOn(landing.number)
    if (passed !== null && (await git.isAncestor(passed, onto)))
      return { from: passed, greenBefore: true }
    return { from: (await git.mergeBase(landing.head, onto)) ?? onto, greenBefore: false }
  }

  /** Of a base that nothing has checked it is found out now. */
  const isRed = async (onto: Sha): Promise<boolean> =>
    (await check({ sha: onto, tree: await results.treeOf(onto) }, 'base')) === 'red'

  return {
    check,

    judge: async ({ landing, link, onto, partners, suspect }) => {
      const { from, greenBefore } = await startOf(landing, onto)
      const commits = partners.length === 0 ? await commitsBetween(from, onto) : []
      const merged = await results.mergedAs(
        landing.base,
        commits.map(({ sha }) => sha),
      )
      const landed = commits.map(({ sha }) => merged.get(sha))
      // Of one that came in between, or that the fold has found, nothing has to be found out.
      const only =
        landed.find((one) => one !== undefined && one.number === suspect) ??
        (greenBefore && landed.length === 1 ? (landed[0] ?? null) : null)
      const baseRed = partners.length === 0 && (await isRed(onto))
      const [partner = baseRed ? null : only, ...others] = partners.map(({ number, title }) => ({
        ...{ number, title },
      }))
      const between =
        partner === null
          ? commits.flatMap(({ sha }) => merged.get(sha) ?? [])
          : [partner, ...others]
      const { logTail: tail, logUrl } = await results.known(link.tree)
      const facts = pullFacts(landing)
      const key = `${PREFIX}${landing.number}`
      const search: Search = {
        facts,
        head: landing.head,
        strategy: landing.intent.strategy,
        from,
        to: onto,
        greenBefore,
      }
      const agentId = await agentOn(landing.intent.head)
      const searches = !baseRed && partner === null && commits.length > 0
      await store.transaction(async (tx) => {
        await tx.journal.finish(landing.journal, 'undone')
        if (searches) await tx.snapshots.put(key, { ...search })
        await publisher.publish(
          {
            type: 'landing.red',
            agentId,
            // Whoever waits for the outcome has it from that.
            actor: landing.awaited() ? landing.by : 'daemon',
            payload: {
              ...facts,
              sha: landing.head,
              onto,
              between,
              ...{ partner, others },
              commits: Math.max(commits.length - between.length, 0),
              base_red: baseRed,
              log: tail,
              log_url: logUrl,
            },
          },
          tx,
        )
      })
      if (searches) begin(key, search)
      return { log: tail, logUrl, between, baseRed }
    },

    note: async (event) => {
      if (event.type !== 'ci.failed' || event.payload['landing'] === true) return
      const { number, title, url, head, base, sha } = event.payload as Record<
        'number' | 'title' | 'url' | 'head' | 'base' | 'sha',
        never
      >
      const to = await results.failedOn(number, sha)
      const from = to === null ? null : await git.mergeBase(sha, to)
      if (to === null || from === null || from === to) return
      const key = `${PREFIX}${String(number)}`
      const search: Search = {
        facts: { number, title, url, head, base },
        head: sha,
        strategy: 'merge',
        from,
        to,
        greenBefore: false,
      }
      await store.snapshots.put(key, { ...search })
      begin(key, search)
    },

    resume: async () => {
      for (const [key, search] of await store.snapshots.list(PREFIX))
        begin(key, search as unknown as Search)
    },
    settled: async () => {
      while (running.size > 0) await Promise.all(running)
    },
  }
}
