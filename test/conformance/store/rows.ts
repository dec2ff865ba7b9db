import type { PullRow } from '../../../src/domain/forge-rows.ts'
import type {
  Agent,
  Mail,
  NewDelivery,
  NewStoredEvent,
  Question,
} from '../../../src/domain/records.ts'
import { newAgentDefaults } from '../../../src/core/spawn/new-agent.ts'
import {
  type AgentId,
  type Sha,
  asBranchName,
  newAgentId,
  newDeliveryId,
  newQuestionId,
} from '../../../src/domain/ids.ts'

/** Rows with everything filled in, so that a test writes down only what it is about. */

export function agentRow(given: Partial<Agent> = {}): Agent {
  return {
    ...newAgentDefaults(1000),
    id: newAgentId(),
    name: 'auth',
    kind: 'worker',
    runtime: 'pane',
    role: 'dev',
    agentCli: 'claude',
    parentId: null,
    depth: 1,
    branch: asBranchName('main.auth'),
    baseBranch: asBranchName('main'),
    forkPoint: sha('a'),
    worktree: '/repo/.exomonad/worktrees/auth',
    ownsWorktree: true,
    adopted: false,
    task: 'Add a login.\nWith "quotes", $(shell) and ünïcode ☂.',
    state: 'running',
    tokenHash: 'f'.repeat(64),
    ...given,
  }
}

export const eventRow = (given: Partial<NewStoredEvent> = {}): NewStoredEvent => ({
  type: 'note',
  at: 1000,
  agentId: null,
  actor: 'daemon',
  why: null,
  dedupeKey: null,
  payload: { name: 'auth', message: 'half way' },
  ...given,
})

export const deliveryRow = (given: Partial<NewDelivery> = {}): NewDelivery => ({
  id: newDeliveryId(),
  recipient: newAgentId(),
  eventSeq: null,
  kind: 'note',
  text: '[NOTE] auth: half way',
  createdAt: 1000,
  ...given,
})

export const mailRow = (to: AgentId, given: Partial<Mail> = {}): Mail => ({
  id: newAgentId(),
  from: newAgentId(),
  to,
  message: 'hello',
  sentAt: 1000,
  ...given,
})

export const questionRow = (given: Partial<Question> = {}): Question => ({
  id: newQuestionId(),
  agentId: newAgentId(),
  message: 'Which port?',
  askedAt: 1000,
  answer: null,
  answeredBy: null,
  answeredAt: null,
  claimedBy: null,
  ...given,
})

export const pullRow = (given: Partial<PullRow> = {}): Omit<PullRow, 'number'> => ({
  title: 'Add a login',
  body: 'As asked.',
  draft: false,
  headBranch: asBranchName('main.auth'),
  baseBranch: asBranchName('main'),
  headSha: sha('b'),
  agentId: null,
  state: 'open',
  mergeSha: null,
  mergedBy: null,
  mergedHead: null,
  createdAt: 1000,
  updatedAt: 1000,
  ...given,
})

export const sha = (digit: string): Sha => digit.repeat(40) as Sha
