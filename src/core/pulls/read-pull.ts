import type { Forge, PullRequestSnapshot } from '../../adapters/forge/forge.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Caller } from '../../domain/caller.ts'

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
export function requireFromWithin(caller: Caller, pull: PullRequestSnapshot): void {
  if (caller.kind === 'human' || pull.trusted) return
  throw new ExomonadError(
    'NOT_ALLOWED',
    `#${pull.number} comes from a fork: only the human reads it.`,
    { number: pull.number },
  )
}
