import type { Actor, BranchName, Sha } from '../../domain/ids.ts'
import type { MergeIntent } from '../pulls/merge/journal.ts'

/** A pull request that was asked to be merged, whose result is checked before it lands. */
export interface Landing {
  /** Id of its journal entry. */
  readonly journal: string
  readonly intent: MergeIntent
  readonly number: number
  readonly title: string
  readonly url: string
  readonly base: BranchName
  /** As it was looked at; another one that exomonad itself rebased it to takes its place. */
  readonly head: Sha
  readonly by: Actor
  /** Called once, when it has landed or was given up. */
  readonly ended: (outcome: LandingOutcome) => void
  /** Called with how far it is, in words. */
  readonly progress: (words: string) => void
  /** Somebody waits for the outcome: the message would come to them a second time. */
  readonly awaited: () => boolean
}

export interface RedResult {
  readonly log: string
  readonly logUrl: string | null
  readonly between: readonly { readonly number: number; readonly title: string }[]
  readonly baseRed: boolean
}

export type LandingOutcome =
  | {
      readonly kind: 'landed'
      readonly sha: Sha
      readonly head: Sha
      readonly pullError: string | undefined
      readonly retargeted: readonly number[]
    }
  | { readonly kind: 'red'; readonly red: RedResult }
  /** Whether it landed is found out later. */
  | { readonly kind: 'unsettled' }
  /** What was asked for can’t be had any more. */
  | { readonly kind: 'stopped'; readonly reason: string }

export const pullFacts = (landing: Landing) => ({
  number: landing.number,
  title: landing.title,
  url: landing.url,
  head: landing.intent.head,
  base: landing.intent.base,
})

/** To all that wait for it. */
export function sayChecking(landings: readonly Landing[]): void {
  for (const landing of landings) {
    const others = landings.filter((other) => other !== landing).map(({ number }) => `#${number}`)
    const together = others.length === 0 ? '' : ` together with ${others.join(', ')}`
    landing.progress(`Checking the result of #${landing.number} with ${landing.base}${together}`)
  }
}
