import type { Command } from 'commander'
import type { Config } from '../../../config/schema.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { locateForHuman, subjectOf } from './daemon.ts'
import { ensureDaemon } from './daemon-process.ts'
import { readHealth } from './health.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { plural } from '../../text/quantity.ts'
import { relativeTime } from '../../text/relative-time.ts'
import { checkStore, readStatus, statusLines } from './store-status.ts'
import { storeConfig } from './store-config.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('status')
    .description('Show where the store is, what is in it, and which daemon has it')
    .action(async () => {
      const { paths, file } = await locateForHuman(context)
      const status = await readStatus(context, paths, file.socket)
      present(context, status, () => statusLines(status, context.palette()))
    })
  command
    .command('check')
    .description(
      'Look at all that a daemon needs of the store; exits with 1 where something is amiss',
    )
    .action(async () => {
      const { paths } = await locateForHuman(context)
      const checks = await checkStore(context, paths)
      const { good, bad } = context.palette()
      if (checks.some(({ ok }) => !ok)) context.markFailed()
      present(context, { ok: checks.every(({ ok }) => ok), checks }, () =>
        checks.map(({ what, ok, found }) => `${ok ? good('✓') : bad('✗')} ${what}: ${found}`),
      )
    })
  command
    .command('move')
    .description(
      'Bring the SQLite store into a PostgreSQL database: all rows, counted and compared; the file stays as it is',
    )
    .argument(
      '[address]',
      'The database, as psql takes it; else EXOMONAD_STORE_URL or [store] url_file. A password is better in one of those or in ~/.pgpass',
    )
    .action(async (address: string | undefined) => {
      const located = await locateForHuman(context)
      const { paths } = located
      const moved = await withProgress(
        context,
        'Moving the store',
        context.host.store.postgres.move(paths, await storeConfig(context, paths), address),
      )
      const rows = moved.tables.reduce((sum, table) => sum + table.rows, 0)
      present(context, { moved: true, from: paths.database, ...moved }, () => [
        `${context.palette().good('✓')} ${plural(rows, 'row')} of ${moved.tables.length} tables are in ${moved.place}, each table with the same hash. ${paths.database} is as it was.`,
        `  Now write \`kind = "postgres"\` below [store] in ${paths.configFile}, with url_file (or EXOMONAD_STORE_URL set), and run \`exomonad daemon start\`.`,
      ])
    })
  command
    .command('list')
    .description('List the backups that the daemon made of the store, the newest first')
    .action(async () => {
      const { paths } = await locateForHuman(context)
      const backups = await context.host.store.backups(paths)
      const store = await storeConfig(context, paths)
      const lines = backups.map(
        ({ file, at, bytes, version }) =>
          `${relativeTime(at, context.now())}  ${(bytes / 1e6).toFixed(1)} MB  ${file}${version === undefined ? '' : `  (from before an upgrade: version ${version})`}`,
      )
      // Of a store on a server those there are are of the file that it was moved from.
      const none = 'There is no backup yet: the daemon makes one every 10 minutes.'
      present(context, { backups }, () =>
        store.kind === 'postgres' ? [OWN_MEANS, ...lines] : lines.length === 0 ? [none] : lines,
      )
    })
  command
    .command('restore')
    .description(
      'Bring the store back from a backup and start the daemon; what it was before is kept beside the backups',
    )
    .argument('[file]', 'Another backup than the newest')
    .action((file: string | undefined) => restore(context, file))
}

const OWN_MEANS =
  'A store on PostgreSQL is backed up and brought back by the database’s own means, such as `pg_dump --schema` and `psql`; `exomonad backup` has a copy of it in its file, which `exomonad restore` brings back.'

async function restore(context: CliContext, file: string | undefined): Promise<void> {
  const located = await locateForHuman(context)
  requireSqlite(await storeConfig(context, located.paths))
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
}

function requireSqlite({ kind }: Config['store']): void {
  if (kind !== 'sqlite') throw new ExomonadError('NOT_AVAILABLE', OWN_MEANS)
}
