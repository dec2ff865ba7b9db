import type { Log } from '../../../runtime/log.ts'
import type { TextGate } from '../../../sanitize/text-gate.ts'
import type { Git } from '../../git/git.ts'
import type { ReportLack } from '../lack.ts'
import type { StoreVerbs } from '../../store/store.ts'

/** Where a repository is on a Gitea or Forgejo server. */
export interface GiteaRepository {
  /** `codeberg.org`, `git.example.com:3000`. */
  readonly host: string
  readonly owner: string
  readonly name: string
  /** Without a slash at the end: `https://git.example.com`. */
  readonly url: string
}

/** How requests are made. */
export interface GiteaClientOptions {
  readonly repository: GiteaRepository
  /**
   * Read for each request, so that a changed one counts at once. FORGE_DENIED where there is none.
   */
  readonly token: () => Promise<string>
  readonly clock: () => number
  readonly log: Log
  /** Where what Gitea lacks here is reported. Default: nowhere. */
  readonly reportLack?: ReportLack
  /** The program and its version. */
  readonly userAgent: string
  /**
   * First pause after a failure that may pass; the next ones are longer. Milliseconds, default
   * 1,000. Tests shorten it.
   */
  readonly retryDelay?: number
}

export interface GiteaForgeOptions extends GiteaClientOptions {
  /** What is written into history goes through it. */
  readonly gate: Pick<TextGate, 'text'>
  /** Git remote that holds the branches. */
  readonly remote: string
  readonly git: Git
  readonly store: Pick<StoreVerbs, 'agents' | 'snapshots'>
}
