import type {
  CheckRow,
  CheckStatus,
  PullRow,
  ReviewCommentRow,
  ReviewRow,
} from '../../domain/forge-rows.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'

/** Pull requests of the local forge, and its checks. */
export interface PullStore {
  /** Assigns the next number. */
  insert(pull: Omit<PullRow, 'number'>): Promise<PullRow>
  get(number: number): Promise<PullRow | undefined>
  list(filter?: {
    state?: PullRow['state']
    headBranch?: BranchName
    baseBranch?: BranchName
  }): Promise<PullRow[]>
  update(number: number, patch: Partial<Omit<PullRow, 'number' | 'createdAt'>>): Promise<void>
  addReview(
    review: Omit<ReviewRow, 'id' | 'comments'> & {
      comments: readonly (Pick<ReviewCommentRow, 'path' | 'line' | 'body'> &
        Partial<Pick<ReviewCommentRow, 'startLine' | 'thread'>> & {
          readonly side?: ReviewCommentRow['side'] | undefined
        })[]
    },
  ): Promise<ReviewRow>
  /** Of the conversation that this comment begins. */
  resolveThread(comment: number): Promise<void>
  reviews(pull: number): Promise<ReviewRow[]>
  insertCheck(check: Omit<CheckRow, 'id'>): Promise<CheckRow>
  updateCheck(id: number, patch: Partial<Omit<CheckRow, 'id' | 'pull' | 'head'>>): Promise<void>
  /** Oldest first; `last`: of the newest so many. */
  checks(filter: {
    pull?: number
    head?: Sha
    tree?: Sha
    statuses?: readonly CheckStatus[]
    last?: number
  }): Promise<CheckRow[]>
}
