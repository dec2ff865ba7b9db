import { randomBytes } from 'node:crypto'
import { v7 as uuidv7 } from 'uuid'
import { ExomonadError } from './errors.ts'

declare const brand: unique symbol
type Branded<Name extends string> = string & { readonly [brand]: Name }

/** UUIDv7 of an agent. */
export type AgentId = Branded<'AgentId'>
/** Short branch name (`main.feature.auth`), without `refs/heads/`. */
export type BranchName = Branded<'BranchName'>
/** One segment of a branch name: `a`–`z`, `0`–`9` and single dashes, 1–50 characters. */
export type Slug = Branded<'Slug'>
/** Full object name, 40 or 64 hex digits. */
export type Sha = Branded<'Sha'>
/** The multiplexer's own id of a pane (tmux: `%12`). */
export type PaneId = Branded<'PaneId'>
/** `m-` and 12 hex digits: one message to one recipient. */
export type DeliveryId = Branded<'DeliveryId'>
/** `q-` and 8 hex digits. */
export type QuestionId = Branded<'QuestionId'>

/** Who a message is for: an agent, or the person in front of the screen. */
export type Recipient = AgentId | 'human'
/**
 * Who did something: an agent, the person, the daemon, or somebody on the forge (`forge:login`).
 */
export type Actor = AgentId | 'human' | 'daemon' | `forge:${string}`

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

export const newAgentId = (): AgentId => uuidv7() as AgentId
export const newDeliveryId = (): DeliveryId => `m-${randomBytes(6).toString('hex')}` as DeliveryId
export const newQuestionId = (): QuestionId => `q-${randomBytes(4).toString('hex')}` as QuestionId

export const isAgentId = (text: string): text is AgentId => UUID.test(text)

export function parseAgentId(text: string): AgentId {
  if (!isAgentId(text))
    throw new ExomonadError('INVALID_ARG', `"${text}" is not an agent id (a UUID).`, {
      found: text,
    })
  return text
}

export function parseSha(text: string): Sha {
  const sha = text.trim()
  if (!/^([0-9a-f]{40}|[0-9a-f]{64})$/.test(sha))
    throw new ExomonadError('INVALID_ARG', `"${sha}" is not a full commit id.`, { found: sha })
  return sha as Sha
}

/** For names that git itself gave. */
export const asBranchName = (name: string): BranchName => name as BranchName
export const asPaneId = (id: string): PaneId => id as PaneId

export const childBranch = (parent: BranchName, slug: Slug): BranchName =>
  `${parent}.${slug}` as BranchName

/**
 * Bytes between two slashes of a branch name: git keeps the branch in a file of that name and locks
 * it by another with `.lock` behind it, and names in a file system end at 255.
 */
export const LONGEST_IN_BRANCH = 250

export const fitsInFile = (branch: string): boolean =>
  branch.split('/').every((part) => Buffer.byteLength(part) <= LONGEST_IN_BRANCH)

/**
 * The parent branch by the dot rule, for branches with no recorded parent; null for a name without
 * a dot.
 */
export function parentBranch(branch: BranchName): BranchName | null {
  const dot = branch.lastIndexOf('.')
  return dot > 0 ? (branch.slice(0, dot) as BranchName) : null
}
