import type { CliContext } from '../context.ts'
import type { Host } from '../host.ts'
import { localForge } from './configuration.ts'
import type { Display } from './display.ts'
import { endGithubFake, startGithubFake } from './github-fake.ts'
import type { DemoRepository } from './repository.ts'
import type { Deadlines } from './watch.ts'
import type { Workspace } from './workspace.ts'

/** Where the demo’s pull requests live. `failing`: the share (0–1) of calls that fail. */
export type DemoForge =
  | { readonly kind: 'local' }
  | { readonly kind: 'github-fake'; readonly failing: number; readonly seed: number }

const LOCAL: Deadlines = { limit: 180_000, quiet: 45_000, settle: 60_000 }
/**
 * What goes over HTTP and is polled takes longer, the more so where calls fail and are made again.
 */
const GITHUB: Deadlines = { limit: 900_000, quiet: 180_000, settle: 60_000 }

/**
 * Brings up what the forge needs. Returns its tables of the configuration, and how long the demo
 * may take with it.
 */
export async function setUpForge(
  context: CliContext,
  workspace: Workspace,
  repository: DemoRepository,
  forge: DemoForge,
  display: Display,
): Promise<{ tables: string; deadlines: Deadlines }> {
  if (forge.kind === 'local') return { tables: localForge(repository), deadlines: LOCAL }
  const share =
    forge.failing === 0
      ? ''
      : `; ${Number((forge.failing * 100).toFixed(3))} % of all calls to it fail (--seed ${forge.seed})`
  display.step(`A GitHub of the demo’s own${share}`)
  return {
    tables: await startGithubFake(context.host, workspace, repository, forge),
    deadlines: GITHUB,
  }
}

/** Ends what `setUpForge` started. Fine where there is nothing. */
export const endForge = (host: Pick<Host, 'signal'>, workspace: Workspace): Promise<void> =>
  endGithubFake(host, workspace)
