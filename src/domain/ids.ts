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

/** For names that git itself gave or that `git check-ref-format --branch` accepted. */
export const asBranchName = (name: string): BranchName => name as BranchName
export const asPaneId = (id: string): PaneId => id as PaneId

/**
 * Letters that have no part that is one of a–z; accents and the like come off by themselves. Greek
 * as ISO 843 has it, Cyrillic much as BGN/PCGN does, without the signs. Other scripts (Chinese,
 * Arabic, …) are read differently from place to place and would need dictionaries: they are left
 * out.
 */
const LETTERS: ReadonlyMap<string, string> = new Map(
  [
    'ß=ss æ=ae œ=oe ø=o đ=d ð=d ħ=h ı=i ł=l ŋ=n þ=th ŧ=t ə=e ƒ=f ŀ=l ĸ=k',
    'α=a β=v γ=g δ=d ε=e ζ=z η=i θ=th ι=i κ=k λ=l μ=m ν=n ξ=x ο=o π=p ρ=r σ=s ς=s τ=t υ=y φ=f χ=ch ψ=ps ω=o',
    'а=a б=b в=v г=g д=d е=e ж=zh з=z и=i к=k л=l м=m н=n о=o п=p р=r с=s т=t у=u ф=f х=kh ц=ts ч=ch ш=sh щ=shch ъ= ы=y ь= э=e ю=yu я=ya',
    'ґ=g є=ye і=i ђ=dj ј=j љ=lj њ=nj ћ=c џ=dz ѕ=dz',
  ].flatMap((row) =>
    row.split(' ').map((pair): [string, string] => [pair.slice(0, 1), pair.slice(2)]),
  ),
)
const plain = (name: string): string =>
  name
    .normalize('NFKD')
    .toLowerCase()
    // Twice: a capital can come apart only when it is small.
    .normalize('NFKD')
    .replace(/[\p{M}·ʼ]/gu, '')
    .replace(/[^a-z0-9]/gu, (letter) => LETTERS.get(letter) ?? letter)

/**
 * Words that address somebody already: an agent of that name could not be distinguished from them.
 */
const RESERVED: ReadonlySet<string> = new Set(['root', 'human', 'daemon'])

/** INVALID_ARG for a name that means somebody else wherever an agent is addressed. */
export function requireFreeWord(slug: Slug, name: string): Slug {
  if (!RESERVED.has(slug)) return slug
  throw new ExomonadError(
    'INVALID_ARG',
    `"${name}" can’t be an agent’s name: ${[...RESERVED].join(', ')} mean others. Choose another.`,
    { found: name },
  )
}

/**
 * The branch segment for a name: lower-cased, letters without their accents, Greek and Cyrillic
 * ones in a–z, every run of other characters one `-`, trimmed, at most 50 characters. Throws
 * INVALID_ARG where nothing is left. `{branch}.{slug}` must still pass
 * `git check-ref-format --branch` (`lock` does not).
 */
export function slugify(name: string): Slug {
  const slug = plain(name)
    .replace(/[^a-z0-9]+/g, '-')
    // A run of other characters is one dash by now.
    .replace(/^-/, '')
    .slice(0, 50)
    .replace(/-$/, '')
  if (slug === '') {
    throw new ExomonadError(
      'INVALID_ARG',
      `"${name}" leaves nothing to name a branch with: use at least one letter of the Latin, Greek or Cyrillic alphabet, or a digit.`,
      { found: name },
    )
  }
  return slug as Slug
}

export const childBranch = (parent: BranchName, slug: Slug): BranchName =>
  `${parent}.${slug}` as BranchName

/**
 * The parent branch by the dot rule, for branches with no recorded parent; null for a name without
 * a dot.
 */
export function parentBranch(branch: BranchName): BranchName | null {
  const dot = branch.lastIndexOf('.')
  return dot > 0 ? (branch.slice(0, dot) as BranchName) : null
}
