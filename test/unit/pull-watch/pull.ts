import type { PullRequestSnapshot, Review } from '../../../src/adapters/forge/forge.ts'
import { asBranchName, parseSha, type AgentId, type Sha } from '../../../src/domain/ids.ts'

export const OWNER = '00000000-0000-7000-8000-000000000002' as AgentId
export const sha = (digit: string): Sha => parseSha(digit.repeat(40))

/** An open, mergeable pull request without checks. */
export const pull = (more: Partial<PullRequestSnapshot> = {}): PullRequestSnapshot => ({
  number: 3,
  url: 'local://pull/3',
  title: 'Add login',
  body: '',
  state: 'open',
  draft: false,
  head: { branch: asBranchName('main.auth'), sha: sha('a') },
  base: { branch: asBranchName('main'), sha: sha('b') },
  trusted: true,
  agentId: OWNER,
  mergeable: 'mergeable',
  conflictFiles: [],
  reviewDecision: 'none',
  reviews: [],
  comments: [],
  checks: [],
  checksState: 'none',
  checksRequired: false,
  mergeSha: null,
  mergedBy: null,
  mergedHead: null,
  createdAt: 1_000,
  updatedAt: 1_000,
  ...more,
})

export const at = (digit: string): Pick<PullRequestSnapshot, 'head'> => ({
  head: { branch: asBranchName('main.auth'), sha: sha(digit) },
})

export const review = (more: Partial<Review> = {}): Review => ({
  id: 'r1',
  author: 'human',
  authorName: 'human',
  state: 'changes_requested',
  body: 'Rename it',
  commit: sha('a'),
  submittedAt: 2_000,
  comments: [],
  trusted: true,
  ...more,
})
