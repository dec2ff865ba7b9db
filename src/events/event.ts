import { z } from 'zod'
import type { Actor, AgentId } from '../domain/ids.ts'
import { budget, comment, define, failedJob, other, pull } from './event-shapes.ts'

/**
 * Every event there is: what it tells and what it carries. Routing is in router.ts, words in
 * templates/<type>.liquid. docs/reference.md is generated from this table; test/parity.test.ts
 * holds it to the templates.
 */

export const EVENTS = {
  'tree.initialized': define('exomonad was set up and the root registered.', {
    branch: z.string(),
    worktree: z.string(),
  }),
  'tree.moved': define(
    'The tree grows from another branch from now on; agents of the one before stay as they are.',
    {
      from: z.string(),
      to: z.string(),
      worktree: z.string(),
      /** The root’s program runs, and has to know. */
      program: z.boolean(),
    },
  ),
  'daemon.started': define('The daemon started.', {
    pid: z.number(),
    version: z.string(),
    adopted: z.number(),
    finished: z.number(),
    undone: z.number(),
  }),
  'daemon.stopped': define('The daemon was asked to stop; agents go on.', { pid: z.number() }),

  'agent.spawned': define('An agent was made: branch, worktree, pane.', {
    name: z.string(),
    kind: z.string(),
    role: z.string(),
    branch: z.string(),
    worktree: z.string(),
    adopted: z.boolean(),
  }),
  'agent.state': define('An agent’s state changed.', {
    from: z.string(),
    to: z.string(),
    source: z.string(),
    reason: z.string().nullable(),
  }),
  'agent.started': define('An agent’s program runs.', { name: z.string(), resumed: z.boolean() }),
  'agent.idle': define('An agent ended its turn.', { name: z.string() }),
  'agent.completed': define('An agent reported that its work is done.', {
    name: z.string(),
    summary: z.string(),
  }),
  'agent.failed': define(
    'An agent’s program ended without being asked to, or it reported failure.',
    {
      name: z.string(),
      exit_code: z.number().nullable(),
      signal: z.string().nullable(),
      reason: z.string(),
      last_lines: z.string(),
    },
  ),
  'agent.killed': define('An agent was killed.', { name: z.string(), by: z.string() }),
  'agent.silent': define('An agent gave no sign of life for a long time.', {
    name: z.string(),
    minutes: z.number(),
    dedupe: z.string(),
  }),
  'agent.waiting': define(
    'An agent’s program waits for a person in its terminal; told once per wait.',
    {
      name: z.string(),
      reason: z.string(),
      source: z.string(),
      /** The last lines of its terminal, where nobody knows what it waits for; else empty. */
      screen: z.string(),
    },
  ),
  'agent.tool': define('An agent without a terminal called a tool, or the call ended.', {
    name: z.string(),
    tool: z.string(),
    /** Its input in short. */
    detail: z.string(),
    phase: z.enum(['started', 'ended']),
    /** Of one that ended: `completed` or `failed`, where the agent tells. */
    status: z.string().optional(),
  }),
  'agent.reaped': define('An agent that had ended was taken out of sight; its work stays.', {
    name: z.string(),
  }),
  'agent.removed': define('The worktree and branch of an agent were taken away, proven merged.', {
    name: z.string(),
    branch: z.string(),
    worktree: z.string(),
  }),
  'spawn.failed': define('A spawn failed; what had been made was taken back.', {
    name: z.string(),
    branch: z.string(),
    error: z.string(),
    code: z.string(),
  }),

  note: define('An agent told its parent something.', { name: z.string(), message: z.string() }),
  'question.asked': define('An agent asked its parent.', {
    name: z.string(),
    question_id: z.string(),
    message: z.string(),
  }),
  'question.answered': define('A question was answered.', {
    question_id: z.string(),
    question: z.string(),
    answer: z.string(),
    by: z.string(),
    delivered_by: z.enum(['tool', 'message']),
  }),
  message: define('A person wrote to an agent, or an agent to a root without a program.', {
    message: z.string(),
    raw: z.boolean().optional(),
    /** Of the mail that it is, for whoever takes that. */
    mail_id: z.string().optional(),
  }),
  mail: define('Mail from another agent waits.', {
    from_id: z.string(),
    from_name: z.string(),
    count: z.number(),
  }),

  'budget.warning': define('80 % of a budget is used.', budget),
  'budget.unpriced': define(
    'A budget in money holds, and a model that is used has no price: it is not counted.',
    { name: z.string(), model: z.string() },
  ),
  'budget.exhausted': define(
    'A budget is used up: no more spawns where it holds; nothing else is stopped.',
    budget,
  ),

  'approval.requested': define('Something waits for the human’s approval.', {
    approval_id: z.string(),
    name: z.string(),
    what: z.string(),
  }),
  'approval.decided': define('The human approved or refused.', {
    approval_id: z.string(),
    decision: z.string(),
    what: z.string(),
    reason: z.string().nullable(),
    /** Its program asked, and is answered itself. */
    permission: z.boolean().optional(),
  }),

  'pr.opened': define('A pull request was filed.', { ...pull, draft: z.boolean() }),
  'pr.review': define('A review was submitted.', {
    ...pull,
    review_id: z.string(),
    state: z.enum(['approved', 'changes_requested', 'commented']),
    author: z.string(),
    body: z.string(),
    /** The id is missing in events of before. */
    comments: z.array(comment.extend({ id: z.string().optional() })),
    trusted: z.boolean(),
    stale: z.boolean(),
  }),
  'pr.thread_comment': define('A line of a pull request was commented on.', {
    ...pull,
    comment_id: z.string(),
    ...comment.shape,
    trusted: z.boolean(),
  }),
  'pr.comment': define('A pull request was commented on.', {
    ...pull,
    comment_id: z.string(),
    author: z.string(),
    body: z.string(),
    trusted: z.boolean(),
  }),
  'ci.pending': define('Checks run on a pull request’s head.', {
    ...pull,
    sha: z.string(),
    jobs: z.array(z.string()),
  }),
  'ci.failed': define('Checks failed.', {
    ...pull,
    sha: z.string(),
    jobs: z.array(failedJob),
    times: z.number(),
    /** It was the result of landing it, which `landing.red` tells. */
    landing: z.boolean().optional(),
  }),
  'ci.passed': define('All required checks passed.', { ...pull, sha: z.string() }),
  'pr.ready': define(
    'A pull request can be merged: checks passed or there are none, no open change request, no conflict.',
    {
      ...pull,
      sha: z.string(),
      /** Nothing has checked it. Missing in events of before. */
      unchecked: z.boolean().optional(),
    },
  ),
  'pr.pushed': define('A pull request’s head moved.', {
    ...pull,
    old: z.string(),
    new: z.string(),
    after_changes_requested: z.boolean(),
    /** The head before was reviewed by Copilot, which does not look again by itself. */
    copilot_reviewed: z.boolean(),
  }),
  'pr.conflict': define('A pull request conflicts with its base.', {
    ...pull,
    files: z.array(z.string()),
  }),
  'pr.conflict_cleared': define('A pull request no longer conflicts.', { ...pull }),
  'pr.merged': define('A pull request was merged.', {
    ...pull,
    sha: z.string().nullable(),
    by: z.string(),
    external: z.boolean(),
    remote: z.string().optional(),
    /**
     * Of one that was made elsewhere: why the base here does not have it; null where it has, and of
     * all others. Both are missing in events of before.
     */
    local_error: z.string().nullable().optional(),
    /**
     * The forge made it by itself, a while after it was asked to here. Missing in events of before.
     */
    scheduled: z.boolean().optional(),
    /**
     * Of one that was made elsewhere: those here whose own merges of it came to nothing. Missing in
     * events of before.
     */
    tried_by: z.array(z.string()).optional(),
  }),
  'pr.scheduled': define(
    'The forge merges a pull request by itself from now on: in its turn in a merge queue, or once nothing stands against it.',
    {
      ...pull,
      sha: z.string(),
      kind: z.enum(['queue', 'auto']),
      /** Who asked for it, as the forge knows them. */
      by: z.string(),
    },
  ),
  'pr.unscheduled': define(
    'A pull request that the forge was to merge by itself was not merged, and is not any more.',
    {
      ...pull,
      sha: z.string(),
      kind: z.enum(['queue', 'auto']),
      /** Part of a sentence; null where the forge does not say. */
      reason: z.string().nullable(),
      /** What failed of its checks in the queue. */
      jobs: z.array(failedJob),
    },
  ),
  'pr.closed': define('A pull request was closed without a merge.', { ...pull }),
  'pr.reopened': define('A pull request was opened again.', { ...pull }),
  'pr.fork': define(
    'A pull request from a fork has a head branch that is called as an agent’s is; it is nobody’s here.',
    { ...pull },
  ),
  'pr.retargeted': define('A pull request’s base was changed.', { ...pull, old_base: z.string() }),
  'pr.blocked': define('All is well with a pull request, and the forge does not merge it yet.', {
    ...pull,
    sha: z.string(),
    /** What is missing, and from whom. */
    needs: z.array(z.string()),
    /** It has to be brought up to date with its base. */
    behind: z.boolean(),
    /** Something that only a person on the forge can give. */
    person: z.boolean(),
  }),
  'pr.behind': define('The forge merges a pull request only once it is up to date with its base.', {
    ...pull,
    sha: z.string(),
  }),
  'pr.stalled': define('A pull request makes no progress.', { ...pull, reason: z.string() }),
  'review.timeout': define('A pull request got no review in time.', {
    ...pull,
    minutes: z.number(),
  }),
  'base.moved': define('A base branch’s tip moved.', {
    branch: z.string(),
    old: z.string().nullable(),
    new: z.string(),
  }),
  'merge.started': define('A merge was decided on; written before it is made.', {
    ...pull,
    strategy: z.string(),
    /** Id of its journal entry, which says what came of it; missing in events of before. */
    journal: z.string().optional(),
  }),
  'landing.queued': define(
    'The result of a merge has to be checked first; it lands by itself when that is green.',
    { ...pull, sha: z.string() },
  ),
  'landing.red': define(
    'The result of a merge was checked and is red: the pull request stays open.',
    {
      ...pull,
      sha: z.string(),
      /** Tip of the base that it was merged with. */
      onto: z.string(),
      /** Landed since its own checks passed. */
      between: z.array(other),
      /**
       * The one of them that it is red together with, each green without the other; null where that
       * is not known yet.
       */
      partner: other.nullable(),
      /** Commits of the base since then that came with no pull request. */
      commits: z.number().int(),
      /** The base is red without it. */
      base_red: z.boolean(),
      log: z.string(),
      log_url: z.string().nullable(),
    },
  ),
  'landing.culprit': define('Which merge a red pull request is red together with.', {
    ...pull,
    /** Null where it was a commit without a pull request. */
    partner: other.nullable(),
    commit: z.string(),
    subject: z.string(),
    log: z.string(),
    log_url: z.string().nullable(),
  }),
  'landing.stopped': define('A pull request that waited to land does not any more.', {
    ...pull,
    reason: z.string(),
    /** Another event says so to whoever asked for it. */
    told: z.boolean(),
  }),
  'landing.done': define('All that was asked to land on a branch has landed.', {
    branch: z.string(),
    landed: z.array(other),
  }),
  'base.red': define(
    'A branch is red as it is, after a landing whose result had not been checked.',
    {
      branch: z.string(),
      sha: z.string(),
      /** Landed since it was last green. */
      since: z.array(other),
      log: z.string(),
      log_url: z.string().nullable(),
    },
  ),
  'base.green': define('A branch that was red is green again.', {
    branch: z.string(),
    sha: z.string(),
  }),

  'issue.refused': define('An issue has the label that spawns, and no agent was spawned for it.', {
    number: z.number().int(),
    url: z.string(),
    label: z.string(),
    /** A code of docs/reference.md. */
    code: z.string(),
    reason: z.string(),
  }),

  'forge.trouble': define('The forge can’t be used; what it says is read again later.', {
    forge: z.string(),
    reason: z.string(),
    /** A code of docs/reference.md. */
    code: z.string(),
    /** ISO 8601; null where nobody knows. */
    retry_at: z.string().nullable(),
  }),
  'forge.recovered': define('The forge can be used again.', {
    forge: z.string(),
    minutes: z.number(),
  }),

  'stop.blocked': define('The stop check held an agent.', {
    objection: z.string(),
    reason: z.string(),
    times: z.number(),
  }),
  'stop.released': define('An agent was let go although an objection stands.', {
    name: z.string(),
    objection: z.string(),
    times: z.number(),
  }),
  'rebase.done': define('A branch was rebased onto its base and pushed.', {
    branch: z.string(),
    base: z.string(),
    onto: z.string(),
    head: z.string(),
    /** The head before, where it brought the same changes. */
    from: z.string().optional(),
  }),
  'rebase.conflict': define('A rebase stopped at a conflict that the agent is asked to resolve.', {
    branch: z.string(),
    base: z.string(),
    files: z.array(z.string()),
    tries: z.number(),
  }),
  'rebase.aborted': define('A rebase was given up; the parent is asked.', {
    branch: z.string(),
    base: z.string(),
    files: z.array(z.string()),
  }),

  'delivery.sent': define('A message was handed over.', {
    delivery_id: z.string(),
    lane: z.string(),
  }),
  'delivery.acked': define('A message is proven to have arrived.', {
    delivery_id: z.string(),
    lane: z.string(),
  }),
  'delivery.failed': define('A message could not be delivered; it went to the next in line.', {
    delivery_id: z.string(),
    reason: z.string(),
    to: z.string(),
  }),
  'delivery.withdrawn': define('A message was no longer true before it was delivered.', {
    delivery_id: z.string(),
    reason: z.string(),
  }),
  'delivery.undecided': define('Whether a message arrived can’t be told; a person should look.', {
    delivery_id: z.string(),
    name: z.string(),
    reason: z.string(),
    text: z.string(),
  }),
} as const

export type EventType = keyof typeof EVENTS
export type EventPayload<Type extends EventType> = z.output<(typeof EVENTS)[Type]['payload']>

/** An event about to be published. `agentId` is the agent it is about. */
export type NewEvent = {
  [Type in EventType]: {
    readonly type: Type
    readonly agentId: AgentId | null
    readonly actor: Actor
    readonly payload: EventPayload<Type>
    readonly why?: string
    /** Unique for ever: a second event with the same key is dropped. */
    readonly dedupeKey?: string
  }
}[EventType]
