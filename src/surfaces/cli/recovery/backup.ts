import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { locateForHuman } from '../daemon/daemon.ts'
import { storeConfig } from '../daemon/store-config.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<file>', 'Where to write it; it is whole or not there')
    .option('--force', 'Replace the file where it is there already')
    .action(async (name: string, options: { force?: boolean }) => {
      const { paths, file } = await locateForHuman(context)
      const made = await withProgress(
        context,
        'Backing up',
        context.host.backup.make({
          file: resolve(context.options().cwd, name),
          replace: options.force === true,
          paths,
          rootWorktree: file.rootWorktree,
          store: await storeConfig(context, paths),
        }),
      )
      const { good, attention } = context.palette()
      present(context, made, () => [
        `${good('✓')} ${made.file}: ${(made.bytes / 1e6).toFixed(1)} MB, with the store, ${plural(made.branches, 'branch', 'branches')}, ${plural(made.uncommitted.length, 'worktree')} with changes that are not committed, and the configuration`,
        '  Not in it: tokens and other secrets, what git ignores, and the conversations of agent CLIs, which are in your home.',
        ...made.missing.map(
          (path) =>
            `${attention('!')} ${path} could not be looked at: what is not committed there is not in it.`,
        ),
      ])
    })
}
