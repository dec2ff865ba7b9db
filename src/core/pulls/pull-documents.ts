import type { NotCounted } from '../../adapters/forge/forge.ts'
import type { Side } from '../../domain/formats/line-range.ts'
import type { LandingView } from '../fold/view.ts'

/** What people and models read of pull requests. */

export interface FiledPull {
  pr_number: number
  pr_url: string
  head_branch: string
  base_branch: string
  created: boolean
  warnings: string[]
}
export interface MergedPull {
  merged: boolean
  /**
   * `landing`: its result is being checked, and it lands by itself when that is green. `queued`:
   * the forge’s merge queue merges it in its turn. `auto_merge`: the forge merges it once nothing
   * stands against it.
   */
  state: 'merged' | 'landing' | 'queued' | 'auto_merge'
  /** The merge; null until it is `merged`. */
  sha: string | null
  /** In the merge queue, from 1. */
  position?: number
  local_synced: boolean
  pull_error?: string
  /** The head that was looked at, where exomonad has rebased it since; its changes are the same. */
  rebased_from?: string
  retargeted: number[]
  siblings_behind: string[]
  next: string
}
export interface PullSummary {
  number: number
  url: string
  title: string
  state: 'open' | 'merged' | 'closed'
  draft: boolean
  head_branch: string
  base_branch: string
  agent: string | null
  checks: string
  review: string
  mergeable: string
  head_sha: string
  /** It waits to land: what is done for it now; null where it does not. */
  landing: LandingView | null
  /** The forge merges it by itself; null where it does not. */
  scheduled: ScheduledView | null
}
/**
 * `position`: in the merge queue, from 1; null for auto-merge. `checks`: of what it comes to in the
 * queue.
 */
export interface ScheduledView {
  how: 'queue' | 'auto'
  position: number | null
  checks: string | null
  by: string
}
export interface PullDetails extends PullSummary {
  body: string
  /** Milliseconds since the epoch. */
  created_at: number
  updated_at: number
  conflict_files: string[]
  /** Said of it as a whole, oldest first. */
  comments: {
    id: string
    author: string
    body: string
    at: number
    trusted: boolean
    withheld: boolean
  }[]
  reviews: {
    id: string
    author: string
    /** Of an agent of this tree. */
    agent_id: string | null
    state: string
    body: string
    /** The head that it is of. */
    commit: string
    submitted_at: number
    stale: boolean
    comments: {
      id: string
      author: string
      /** Comments of one conversation have the same; null where the forge did not say. */
      thread: string | null
      path: string
      line: number | null
      /** First line of a range; null where it is about one line. */
      start_line: number | null
      /** Version that its lines are of: `left` is the old one. */
      side: Side
      body: string
      conversation: 'open' | 'resolved' | null
    }[]
    /** Its author may write to the repository: the verdict counts. */
    trusted: boolean
    /** Words of somebody without write access, not shown to agents. */
    withheld: boolean
    /** Why the verdict does not count; null where it does, and of one that only comments. */
    not_counted: NotCounted | null
  }[]
  /** Whom the forge asked for a review that it requires. */
  asked_reviewers: { name: string; code_owner: boolean }[]
  check_runs: {
    name: string
    status: string
    required: boolean
    url: string | null
    log_tail: string | null
  }[]
  /**
   * Those of what it comes to in the merge queue; empty where it is in none, or nothing has run
   * there.
   */
  queue_checks: PullDetails['check_runs']
  merge_sha: string | null
}

export interface PullChecks {
  number: number
  head_sha: string
  state: string
  checks: PullDetails['check_runs']
  log: string | null
  /** Whether they were started again or run anyway; null where that was not asked for. */
  rerun: 'started' | 'running' | null
}
