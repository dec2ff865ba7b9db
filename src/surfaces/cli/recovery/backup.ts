import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ExomonadError } from '../../../domain/errors.ts'
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
      if ((await storeConfig(context, paths)).kind !== 'sqlite')
        throw new ExomonadError(
          'NOT_AVAILABLE',
          'The store is on PostgreSQL, and is backed up by the database’s own means (`pg_dump --schema`); this makes backups of a SQLite store. `git bundle create FILE --all` keeps all branches.',
        )
      const made = await withProgress(
        context,
        'Backing up',
        context.host.backup.make({
          file: resolve(context.options().cwd, name),
          replace: options.force === true,
          paths,
          rootWorktree: file.rootWorktree,
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
