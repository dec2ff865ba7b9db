import type { Command } from 'commander'
import { asExomonadError } from '../../../domain/errors.ts'
import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { locateForHuman, subjectOf } from '../daemon/daemon.ts'
import { storeConfig } from '../daemon/store-config.ts'
import { ensureDaemon, stopDaemon } from '../daemon/daemon-process.ts'
import { dismantle, worktreesThatGo, type Dismantled } from './dismantle.ts'
import type { LocatedRepository } from '../locate.ts'
import { locateCopy } from './moved.ts'
import { present } from '../output.ts'
import { requireOtherTerminal } from '../own-terminal.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'
import { shortPath } from '../../text/short-path.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '--force',
      'Remove the configuration although it is not what init wrote; never what git tracks',
    )
    .action(async (options: { force?: boolean }) => {
      const copy = await locateCopy(context)
      const located = copy ?? (await locateForHuman(context))
      requireOtherTerminal(context.environment, located.paths.commonDir, 'deinit')
      // Of a copy nothing runs: what does is the original's.
      const warnings =
        copy === null
          ? await withProgress(
              context,
              'Stopping agents and daemon',
              stopEverything(context, located),
            )
          : []
      const work = dismantle({
        located,
        environment: context.environment,
        host: context.host,
        force: options.force === true,
        copy: copy !== null,
      })
      const result = await withProgress(context, 'Taking exomonad out', work)
      present(context, { ...result, warnings }, () => describe(context, result, warnings))
    })
}

/**
 * Ends agents by way of the daemon, which records it, and has it tear down what is about to go;
 * where that can't start, their terminals are ended all the same. Returns what went wrong.
 */
async function stopEverything(context: CliContext, located: LocatedRepository): Promise<string[]> {
  const warnings: string[] = []
  if ((await storeConfig(context, located.paths)).kind === 'postgres')
    warnings.push(
      'The records stay in the database: docs/postgres.md says how its schema is taken away.',
    )
  try {
    await ensureDaemon(subjectOf(located, context))
    const client = await context.client()
    await client.call('down', {})
    warnings.push(...(await tearDown(context, client, located)))
  } catch (error) {
    warnings.push(
      `The daemon could not be asked to stop the agents, so their terminals were ended, and no teardown command was run: ${asExomonadError(error).message}`,
    )
  }
  await stopDaemon(context.host, located.file.socket)
  await context.host.endTerminals(located.paths)
  return warnings
}

/** Their programs have ended: what goes now is what will go. */
async function tearDown(
  { host }: CliContext,
  client: Client,
  located: LocatedRepository,
): Promise<string[]> {
  try {
    const worktrees = await worktreesThatGo(await host.git(located.paths.commonDir), located)
    return worktrees.length === 0 ? [] : (await client.call('tear_down', { worktrees })).warnings
  } catch (error) {
    return [`No teardown command was run: ${asExomonadError(error).message}`]
  }
}

function describe(context: CliContext, result: Dismantled, warnings: readonly string[]): string[] {
  const palette = context.palette()
  const short = (path: string): string => printableLine(shortPath(path, context.environment.home))
  return [
    `${palette.good('✓')} exomonad is out of this repository`,
    ...result.removed.map((what) => `  ${palette.dim('removed')} ${short(what)}`),
    ...result.kept.map(
      (kept) =>
        `  ${palette.attention('kept')}    ${short(kept.path)}${kept.branch === null ? '' : ` (${printableLine(kept.branch)})`}: ${printableLine(kept.reason)}`,
    ),
    ...(result.branches_left.length > 0
      ? [
          palette.dim(
            `  ${plural(result.branches_left.length, 'branch stays', 'branches stay')}: ${result.branches_left.map(printableLine).join(', ')}`,
          ),
        ]
      : []),
    ...warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
  ]
}
