import type { Command } from 'commander'
import { ExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { locateForHuman, subjectOf } from './daemon.ts'
import { ensureDaemon } from './daemon-process.ts'
import { readHealth } from './health.ts'
import { present } from '../output.ts'
import { relativeTime } from '../../text/relative-time.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('list')
    .description('List the backups that the daemon made of the store, the newest first')
    .action(async () => {
      const { paths } = await locateForHuman(context)
      const backups = await context.host.store.backups(paths)
      present(context, { backups }, () =>
        backups.length === 0
          ? ['There is no backup yet: the daemon makes one every 10 minutes.']
          : backups.map(
              ({ file, at, bytes }) =>
                `${relativeTime(at, context.now())}  ${(bytes / 1e6).toFixed(1)} MB  ${file}`,
            ),
      )
    })
  command
    .command('restore')
    .description(
      'Bring the store back from a backup and start the daemon; what it was before is kept beside the backups',
    )
    .argument('[file]', 'Another backup than the newest')
    .action(async (file: string | undefined) => {
      const located = await locateForHuman(context)
      if ((await readHealth(located.file.socket)) !== null)
        throw new ExomonadError(
          'ALREADY_RUNNING',
          'The daemon runs, on a store that it can read. `exomonad daemon stop` first, where an older one is wanted.',
        )
      const [newest] = await context.host.store.backups(located.paths)
      const backup = file ?? newest?.file
      if (backup === undefined)
        throw new ExomonadError(
          'NOT_AVAILABLE',
          `There is no backup in ${located.paths.backups}. \`exomonad down --force\` ends what runs and begins anew; branches and worktrees stay.`,
        )
      const kept = await context.host.store.restore(backup, located.paths)
      const { health } = await ensureDaemon(subjectOf(located, context))
      present(context, { restored: backup, kept, daemon: health }, () => [
        `${context.palette().good('✓')} The store is that of ${backup}${kept === null ? '' : `; the one before is kept as ${kept}`}`,
        `  The daemon runs (process ${health.pid}). What happened since that backup is not in it: look at \`exomonad tree\`.`,
      ])
    })
}
