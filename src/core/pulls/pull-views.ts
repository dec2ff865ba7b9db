import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Agent } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { showControls } from '../../sanitize/controls.ts'
import type { PullDetails, PullSummary } from './pull-documents.ts'
import type { Pulls } from './pull-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { landingsIn } from '../fold/view.ts'
import type { RequireLookedAt } from '../agents/looked-at.ts'
import { knownPulls } from './pull-records.ts'
import { scheduledView } from './scheduled-view.ts'
import { readPull, requireFromWithin } from './read-pull.ts'
import { authorOf, requireAbove } from './pull-authority.ts'
import { createLastDiffs } from './last-diffs.ts'
import { createPullReview } from './review-pull.ts'

/** Reading and reviewing pull requests. */
export function createPullViews(
  deps: Pick<Deps, 'store' | 'forge' | 'polling' | 'clock'> & { requireLookedAt: RequireLookedAt },
): Pick<Pulls, 'review' | 'list' | 'show' | 'commits' | 'diff' | 'checks'> {
  const { store, forge, polling, clock } = deps
  const diffs = createLastDiffs(clock)

  const landingsNow = async () => landingsIn(await store.journal.open(), clock())

  const summary = (
    agents: readonly Agent[],
    landings: ReturnType<typeof landingsIn>,
    pull: PullRequestSnapshot,
  ): PullSummary => ({
    number: pull.number,
    url: pull.url,
    title: pull.title,
    state: pull.state,
    draft: pull.draft,
    head_branch: pull.head.branch,
    base_branch: pull.base.branch,
    agent: authorOf(agents, pull)?.name ?? null,
    checks: pull.checksState,
    review: pull.reviewDecision,
    mergeable: pull.mergeable,
    head_sha: pull.head.sha,
    landing: landings.get(pull.number) ?? null,
    scheduled: scheduledView(pull),
  })

  const runs = ({ checks }: Pick<PullRequestSnapshot, 'checks'>): PullDetails['check_runs'] =>
    checks.map((check) => ({
      name: check.name,
      status: check.status,
      required: check.required,
      url: check.url,
      log_tail: check.logTail,
    }))

  const rerunChecks = async (caller: Caller, pull: PullRequestSnapshot) => {
    const { agent } = caller
    if (agent.role === 'dev') {
      throw new ExomonadError(
        'NOT_ALLOWED',
        'Agents of the role dev can’t run checks again. Fix what failed, or ask your parent with question.',
        {
          number: pull.number,
        },
      )
    }
    const agents = await store.agents.list()
    const author = authorOf(agents, pull)
    if (author !== undefined && author.id !== agent.id)
      requireAbove(agents, caller, author, pull, 'run the checks again of')
    const rerun = await forge.rerunChecks(pull.number)
    await polling.poll([pull.number])
    return rerun
  }

  return {
    review: createPullReview(deps),

    list: async ({ state = 'open' }) => {
      const agents = await store.agents.list()
      const pulls = (await knownPulls(store)).filter(
        (pull) => state === 'all' || pull.state === state,
      )
      const landings = await landingsNow()
      return { pull_requests: pulls.map((pull) => summary(agents, landings, pull)) }
    },

    show: async (caller, number) => {
      const pull = await readPull(forge, number)
      requireFromWithin(caller, pull)
      const agents = await store.agents.list()
      const names = new Map<string, string>(agents.map((agent) => [agent.id, agent.name]))
      return {
        ...summary(agents, await landingsNow(), pull),
        body: pull.body,
        created_at: pull.createdAt,
        updated_at: pull.updatedAt,
        conflict_files: [...pull.conflictFiles],
        comments: pull.comments.map((comment) => {
          const withheld = !comment.trusted && caller.kind === 'agent'
          return {
            id: comment.id,
            author: names.get(comment.author) ?? comment.authorName,
            body: withheld ? '' : comment.body,
            at: comment.at,
            trusted: comment.trusted,
            withheld,
          }
        }),
        reviews: pull.reviews.map((review) => {
          const withheld = !review.trusted && caller.kind === 'agent'
          return {
            id: review.id,
            author: names.get(review.author) ?? review.authorName,
            agent_id: agents.find(({ id }) => id === review.author)?.id ?? null,
            state: review.state,
            body: withheld ? '' : review.body,
            commit: review.commit,
            submitted_at: review.submittedAt,
            stale: review.commit !== pull.head.sha,
            comments: withheld
              ? []
              : review.comments.map((comment) => ({
                  id: comment.id,
                  author: names.get(comment.author) ?? comment.author.replace(/^forge:/, ''),
                  thread: comment.thread ?? null,
                  path: comment.path,
                  line: comment.line,
                  start_line: comment.startLine ?? null,
                  side: comment.side ?? 'right',
                  body: comment.body,
                  conversation:
                    comment.resolved === undefined
                      ? null
                      : comment.resolved
                        ? ('resolved' as const)
                        : ('open' as const),
                })),
            trusted: review.trusted,
            withheld,
            not_counted: review.notCounted ?? null,
          }
        }),
        asked_reviewers: (pull.asked ?? []).map(({ name, codeOwner }) => ({
          name,
          code_owner: codeOwner,
        })),
        check_runs: runs(pull),
        queue_checks:
          pull.scheduled?.kind === 'queue' ? runs({ checks: pull.scheduled.checks ?? [] }) : [],
        merge_sha: pull.mergeSha,
      }
    },

    commits: async (caller, number) => {
      requireFromWithin(caller, await readPull(forge, number))
      return { number, commits: (await forge.commits(number)).map((commit) => ({ ...commit })) }
    },

    diff: async (caller, number) => {
      // Read before and after: a head that moves meanwhile must not be taken for the one that the
      // diff is of.
      for (let tries = 1; ; tries++) {
        const before = await readPull(forge, number)
        requireFromWithin(caller, before)
        const known = diffs.get(before)
        if (known !== undefined) return { number, head_sha: before.head.sha, diff: known }
        const diff = showControls(await forge.diff(number))
        const after = await readPull(forge, number)
        const isSame = before.head.sha === after.head.sha
        if (isSame) diffs.keep(before, diff)
        if (isSame || tries === 3) return { number, head_sha: before.head.sha, diff }
      }
    },

    checks: async (caller, number, { log, rerun: again = false }) => {
      const before = await readPull(forge, number)
      requireFromWithin(caller, before)
      const rerun = again ? await rerunChecks(caller, before) : null
      const pull = rerun === null ? before : await readPull(forge, number)
      return {
        number,
        head_sha: pull.head.sha,
        state: pull.checksState,
        checks: runs(pull),
        log: log === undefined ? null : await forge.checkLog(number, log),
        rerun,
      }
    },
  }
}
