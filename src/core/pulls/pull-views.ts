import { sharesBranch } from '../../domain/agent-kinds.ts'
import type { Forge, PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import type { Agent } from '../../domain/records.ts'
import { baseMergers, placed } from '../../domain/base-owner.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { showControls } from '../../sanitize/controls.ts'
import type { PullDetails, Pulls, PullSummary } from '../core.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { actorOf, requireBelow } from '../agents/directory.ts'
import { landingsIn } from '../fold/view.ts'
import type { RequireLookedAt } from '../agents/looked-at.ts'
import { knownPulls } from './pull-records.ts'
import { conversationsOf } from './review-replies.ts'
import { scheduledView } from './scheduled-view.ts'
import { ancestorsOf } from '../agents/tree.ts'

/** Fresh state of one pull request. PR_NOT_FOUND; FORGE_UNAVAILABLE where it can’t be read. */
export async function readPull(forge: Forge, number: number): Promise<PullRequestSnapshot> {
  const [result] = await forge.snapshots([number])
  if (result === undefined || 'missing' in result)
    throw new ExomonadError(
      'PR_NOT_FOUND',
      `There is no pull request #${number}. \`exomonad pr list\` shows them.`,
      { number },
    )
  if ('unknown' in result && result.denied === true)
    throw new ExomonadError(
      'FORGE_DENIED',
      `#${number} can’t be read: ${result.unknown.replace(/\.$/, '')}. Nothing was changed.`,
      { number },
    )
  if ('unknown' in result)
    throw new ExomonadError(
      'FORGE_UNAVAILABLE',
      `#${number} can’t be read now: ${result.unknown.replace(/\.$/, '')}. Nothing was changed; try again.`,
      {
        number,
      },
    )
  return result.snapshot
}

/** What comes from a fork, its text and its code, is for people to read. NOT_ALLOWED. */
function requireFromWithin(caller: Caller, pull: PullRequestSnapshot): void {
  if (caller.kind === 'human' || pull.trusted) return
  throw new ExomonadError(
    'NOT_ALLOWED',
    `#${pull.number} comes from a fork: only the human reads it.`,
    { number: pull.number },
  )
}

/** Reading and reviewing pull requests. */
export function createPullViews({
  store,
  forge,
  polling,
  clock,
  requireLookedAt,
}: Pick<Deps, 'store' | 'forge' | 'polling' | 'clock'> & {
  requireLookedAt: RequireLookedAt
}): Pick<Pulls, 'review' | 'list' | 'show' | 'diff' | 'checks'> {
  const authorOf = (agents: readonly Agent[], pull: PullRequestSnapshot) =>
    agents.find((agent) => agent.id === pull.agentId) ??
    (pull.trusted
      ? agents.findLast((agent) => agent.branch === pull.head.branch && !sharesBranch(agent))
      : undefined)

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

  const requireReviewer = (
    agents: readonly Agent[],
    caller: Caller,
    pull: PullRequestSnapshot,
    approves: boolean,
  ) => {
    const author = authorOf(agents, pull)
    if (caller.kind === 'human') return
    if (author?.id === caller.agent.id) {
      if (approves)
        throw new ExomonadError(
          'NOT_ALLOWED',
          `#${pull.number} is your own: you can’t approve it. Your parent reviews it.`,
          { number: pull.number },
        )
      return
    }
    if (caller.agent.role === 'dev') {
      throw new ExomonadError(
        'NOT_ALLOWED',
        `#${pull.number} is not yours: agents of the role dev answer reviews of their own pull request.`,
        {
          number: pull.number,
        },
      )
    }
    if (author !== undefined) requireAbove(agents, caller, author, pull, 'review the work of')
  }

  /**
   * The owner of the branch that it goes into, or whoever stands above that: not somebody in
   * between, whose branch it only passed.
   */
  const requireAbove = (
    agents: readonly Agent[],
    caller: Caller,
    author: Agent,
    pull: PullRequestSnapshot,
    verb: string,
  ): void => {
    const owners = baseMergers(placed(agents), author.id, pull.base.branch)
    if (owners.some(({ id }) => id === caller.agent.id)) return
    requireBelow(agents, caller, author, verb)
    const owner = owners.at(-1)
    if (
      owner === undefined ||
      ancestorsOf(agents, owner.id).some(({ id }) => id === caller.agent.id)
    )
      return
    throw new ExomonadError(
      'NOT_A_CHILD',
      `#${pull.number} goes into ${pull.base.branch} by now: ${owner.name} looks after it, not you.`,
      {
        number: pull.number,
        base: pull.base.branch,
        owner: owner.id,
      },
    )
  }

  const rerunChecks = async (caller: Caller, pull: PullRequestSnapshot) => {
    const { agent } = caller
    if (agent.role === 'dev') {
      throw new ExomonadError(
        'NOT_ALLOWED',
        'Agents of the role dev can’t run checks again. Mend what failed, or ask your parent with question.',
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
    review: async (caller, input) => {
      const pull = await readPull(forge, input.number)
      requireFromWithin(caller, pull)
      await requireLookedAt(pull, input.head)
      const agents = await store.agents.list()
      requireReviewer(agents, caller, pull, input.verdict === 'approve')
      const hasWords = input.body.trim() !== '' || input.comments.length > 0
      // Answers to conversations need no review around them.
      const answersAlone =
        !hasWords && input.replies.length > 0 && (input.verdict ?? 'comment') === 'comment'
      if (input.verdict !== 'approve' && !hasWords && !answersAlone) {
        throw new ExomonadError(
          'INVALID_ARG',
          'A review that doesn’t approve needs words: a body, or comments on lines.',
          { number: input.number },
        )
      }
      if (pull.state !== 'open')
        throw new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${pull.number} is ${pull.state}: there is nothing to review.`,
          { number: pull.number },
        )
      const replies = conversationsOf(pull, input.replies)
      const author = actorOf(caller)
      const state = (
        { approve: 'approved', request_changes: 'changes_requested', comment: 'commented' } as const
      )[input.verdict ?? 'comment']
      const comments = input.comments.map((comment) => ({
        path: comment.path,
        line: comment.line ?? null,
        body: comment.body,
      }))
      const review = answersAlone
        ? null
        : await forge.review({ number: input.number, author, state, body: input.body, comments })
      for (const reply of replies) await forge.reply({ number: input.number, author, ...reply })
      await polling.poll([input.number])
      return {
        review_id: review?.id ?? null,
        state: review?.state ?? null,
        replies: replies.length,
      }
    },

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
        conflict_files: [...pull.conflictFiles],
        reviews: pull.reviews.map((review) => {
          const withheld = !review.trusted && caller.kind === 'agent'
          return {
            id: review.id,
            author: names.get(review.author) ?? review.authorName,
            state: review.state,
            body: withheld ? '' : review.body,
            stale: review.commit !== pull.head.sha,
            comments: withheld
              ? []
              : review.comments.map((comment) => ({
                  id: comment.id,
                  path: comment.path,
                  line: comment.line,
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

    diff: async (caller, number) => {
      // Read before and after: a head that moves meanwhile must not be taken for the one that the
      // diff is of.
      for (let tries = 1; ; tries++) {
        const before = await readPull(forge, number)
        requireFromWithin(caller, before)
        const diff = await forge.diff(number)
        const after = await readPull(forge, number)
        if (before.head.sha === after.head.sha || tries === 3)
          return { number, head_sha: before.head.sha, diff: showControls(diff) }
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
