import type { Log } from '../../../runtime/log.ts'
import type { TextGate } from '../../../sanitize/text-gate.ts'
import type { Git } from '../../git/git.ts'
import type { ReportLack } from '../lack.ts'
import type { StoreVerbs } from '../../store/store.ts'
import type { GithubApp } from './setup/token.ts'
import type { GithubRepository } from './repository.ts'

/** What may change while the daemon runs. From the trusted configuration. */
export interface GithubSettings {
  readonly trustedBots: readonly string[]
  readonly copilotReview: boolean
  /** Share of the rate limit that stays for others, 0 to 0.9. */
  readonly reserve: number
  /**
   * So long a head without checks is waited for where some are expected. Seconds; 0: not at all.
   */
  readonly checksExpectedWithin: number
}

/** How requests are made. */
export interface GithubClientOptions {
  readonly repository: GithubRepository
  /**
   * Read for each request, so that a renewed one counts at once. FORGE_DENIED where there is none.
   */
  readonly token: () => Promise<string>
  /** Where the token is of an app’s installation. */
  readonly app?: Pick<GithubApp, 'id' | 'refused'>
  readonly settings: () => GithubSettings
  readonly clock: () => number
  readonly log: Log
  /** Where what GitHub lacks here is reported. Default: nowhere. */
  readonly reportLack?: ReportLack
  /** The program and its version, as GitHub asks for it. */
  readonly userAgent: string
  /**
   * First pause after a failure that may pass, and between writes; the next ones are longer.
   * Milliseconds, default 1,000. Tests shorten it.
   */
  readonly retryDelay?: number
}

export interface GithubForgeOptions extends GithubClientOptions {
  /** What is written into history goes through it. */
  readonly gate: Pick<TextGate, 'text'>
  /** Git remote that holds the branches. */
  readonly remote: string
  readonly git: Git
  readonly store: Pick<StoreVerbs, 'agents' | 'snapshots'>
}
