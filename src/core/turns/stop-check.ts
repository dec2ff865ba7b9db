import type { PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { placeText } from '../../domain/formats/line-range.ts'

/**
 * Why an agent should go on instead of stopping. Order and exemptions are those of the delivery
 * design: the first that objects answers.
 */
export type StopBlocker =
  | { readonly kind: 'uncommitted'; readonly files: readonly string[] }
  | {
      readonly kind: 'rebase_in_progress'
      readonly files: readonly string[]
      readonly operation: string
    }
  | {
      readonly kind: 'rebase_conflict'
      readonly files: readonly string[]
      readonly base: string
      readonly tries: number
    }
  /** The parent was asked in its name; what it was at is taken back. */
  | {
      readonly kind: 'rebase_given_up'
      readonly files: readonly string[]
      readonly base: string
      readonly tries: number
    }
  | { readonly kind: 'diverged'; readonly branch: string; readonly remote: string }
  | { readonly kind: 'no_pull_request'; readonly commits: number; readonly base: string }
  | { readonly kind: 'changes_requested'; readonly pull: PullRequestSnapshot }
  | { readonly kind: 'messages'; readonly text: string }

/** Which links of the chain apply to an agent. */
export interface Applicable {
  readonly commit: boolean
  readonly rebase: boolean
  readonly pullRequest: boolean
  readonly review: boolean
}

export interface StopFacts {
  /** Subtrees and workers have a worktree branch of their own; the root and forks don’t. */
  readonly ownsBranch: boolean
  readonly hasOpenQuestion: boolean
  /** Reason given with `note --stop-reason`. */
  readonly hasExcuse: boolean
  readonly hasLiveChildren: boolean
  readonly hasOpenChildPulls: boolean
  /** Its pull request was merged and it has made no commit since. */
  readonly merged: boolean
}

export function applicable(facts: StopFacts): Applicable {
  const owned = facts.ownsBranch && !facts.hasOpenQuestion
  return {
    commit: owned && !facts.hasExcuse,
    rebase: owned && !facts.hasExcuse && !facts.merged,
    pullRequest: owned && !facts.hasLiveChildren && !facts.hasOpenChildPulls && !facts.merged,
    review: owned && !facts.merged,
  }
}

/**
 * Holding an agent for ever helps nobody: after `max` times in a row for the same objection it is
 * let go. Messages are taken when they are shown, so they never repeat.
 */
export function nextBlock(
  previous: { objection: string | null; times: number },
  objection: StopBlocker['kind'],
  max: number,
): { release: boolean; times: number } {
  if (objection === 'messages') return { release: false, times: 0 }
  const times = previous.objection === objection ? previous.times + 1 : 1
  return { release: times > max, times }
}

/** The words an agent reads as the reason to go on. */
export function stopBlockerText(objection: StopBlocker): string {
  const list = (files: readonly string[]) =>
    files.slice(0, 20).join(', ') + (files.length > 20 ? ` and ${files.length - 20} more` : '')
  switch (objection.kind) {
    case 'uncommitted':
      return `You have uncommitted changes: ${list(objection.files)}. Commit them, or say why not with \`exomonad note --stop-reason "…"\`.`
    case 'rebase_in_progress':
      return objection.files.length > 0
        ? `A ${objection.operation} is in progress and these files still conflict: ${list(objection.files)}. Resolve them, \`git add\` them, then \`git ${objection.operation} --continue\`.`
        : `A ${objection.operation} is in progress with nothing left to resolve: \`git add\` what you changed, then \`GIT_EDITOR=true git ${objection.operation} --continue\`.`
    case 'rebase_conflict':
      return `${objection.base} moved, and rebasing your branch onto it conflicts in: ${list(objection.files)}. The rebase is left in progress: resolve the files, \`git add\` them, then \`GIT_EDITOR=true git rebase --continue\`. (Try ${objection.tries}; when it can’t be done, \`git rebase --abort\` and ask with question.)`
    case 'rebase_given_up':
      return `Your branch could not be rebased onto ${objection.base} in ${objection.tries} tries${objection.files.length > 0 ? ` (${list(objection.files)} conflict)` : ''}: the rebase was aborted and your branch is as it was. Your parent was asked in your name how the two are to be brought together. Don’t file meanwhile: end your turn, the answer comes as [ANSWER].`
    case 'diverged':
      return `${objection.branch} on ${objection.remote} has commits that your worktree lacks, and the other way round. They are fetched: run \`git rebase ${objection.remote}/${objection.branch}\`.`
    case 'no_pull_request':
      return `You have ${objection.commits} commit${objection.commits === 1 ? '' : 's'} that ${objection.base} lacks and no pull request. File one with file_pr (draft if unfinished).`
    case 'changes_requested':
      return changesText(objection.pull)
    case 'messages':
      return objection.text
  }
}

/**
 * Change requests that stand, of those who may write here: each author’s latest word counts; a
 * rebase since then has not answered it.
 */
export function requestedBy(pull: PullRequestSnapshot): PullRequestSnapshot['reviews'] {
  const latest = new Map(
    pull.reviews
      .filter(({ state, trusted }) => state !== 'commented' && trusted)
      .map((review) => [review.author, review]),
  )
  return [...latest.values()].filter((review) => review.state === 'changes_requested')
}

function changesText(pull: PullRequestSnapshot): string {
  const lines = requestedBy(pull).flatMap((review) => [
    ...(review.body !== '' ? [review.body] : []),
    ...review.comments
      .filter(({ resolved }) => resolved !== true)
      .map((comment) => `- ${placeText(comment)}: ${comment.body}`),
  ])
  return [
    `Changes were requested on your pull request #${pull.number} and no push answered them:`,
    ...lines,
    'Fix them, commit, and call file_pr again.',
  ].join('\n')
}
