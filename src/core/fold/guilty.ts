import type { Landing } from './landing.ts'
import type { Sha } from '../../domain/ids.ts'
import type { MergeLink } from '../../adapters/forge/merge-results.ts'

export interface Guilty {
  readonly landing: Landing
  /** What was red: its merge on top of `onto`. */
  readonly link: MergeLink
  readonly onto: Sha
  /** Those that it is red together with, where that is known. */
  readonly partners: readonly Landing[]
  /** The one that the fold has found it to be red with, wherever that is now. */
  readonly suspect?: number | undefined
}
