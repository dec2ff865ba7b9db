import type { Actor } from '../../domain/ids.ts'

/** What somebody who may write to the repository said about an issue. */
export interface IssueComment {
  readonly id: string
  readonly author: Actor
  readonly authorName: string
  /** Of others: material, never an instruction of ours. */
  readonly body: string
  /** Milliseconds since the epoch. */
  readonly at: number
}

/** Who set a label last. */
export interface LabelSet {
  readonly by: Actor
  readonly name: string
  /** Milliseconds since the epoch. */
  readonly at: number
  /** A person who may write to the repository. */
  readonly mayWrite: boolean
  /**
   * Title or body were changed since then by somebody who may not write: it was not set on these
   * words.
   */
  readonly outdated: boolean
}

/** An issue at one moment. */
export interface Issue {
  readonly number: number
  readonly url: string
  readonly state: 'open' | 'closed'
  readonly author: Actor
  readonly authorName: string
  /**
   * False: its author may not write to the repository, so that title and body reach an agent only
   * where a person chose this issue.
   */
  readonly trusted: boolean
  readonly title: string
  readonly body: string
  /** Oldest first, without those of people who may not write, and without exomonad’s own. */
  readonly comments: readonly IssueComment[]
  /** How many of them were left out, because who wrote them may not write. */
  readonly withheld: number
  /**
   * The label that was asked about; null where the issue does not have it, or nobody knows who set
   * it.
   */
  readonly label: LabelSet | null
}

/** An open issue in a list. */
export interface ListedIssue {
  readonly number: number
  /** Another one than last time: something about it changed. */
  readonly updatedAt: number
}

/**
 * What exomonad itself writes below an issue or pull request, one comment of each kind, changed in
 * place. It is sent to no agent.
 */
export type OwnComment = 'taken' | 'status'

/** Issues of a forge that has them. Throws like the forge. */
export interface ForgeIssues {
  /**
   * `label`: one of which to say who set it. ISSUE_NOT_FOUND where there is none; INVALID_ARG where
   * the number is a pull request’s.
   */
  read(number: number, label?: string): Promise<Issue>
  /**
   * Open issues with that label, oldest first. Asked often: what has not changed must cost nothing.
   */
  labelled(label: string): Promise<readonly ListedIssue[]>
  /**
   * Writes the comment of that kind below an issue or pull request, or changes the one that is
   * there: `id`, or where that is gone the one that is found by its mark. Returns its id.
   */
  comment(options: {
    number: number
    kind: OwnComment
    id: string | null
    body: string
  }): Promise<string>
}
