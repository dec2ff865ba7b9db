import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { ExomonadError } from '../../../domain/errors.ts'
import { pathsOf } from '../../../runtime/paths.ts'
import { assertHuman } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { storeConfig } from '../daemon/store-config.ts'
import { initialConfig } from '../init/config.ts'
import { setUpRepository, startAfterSetUp } from '../init/initialize.ts'
import { locateRepository } from '../locate.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { relativeTime } from '../../text/relative-time.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<file>', 'What `exomonad backup` wrote')
    .option(
      '--force',
      'Also where there is a tree: its store is kept beside the backups, or as a schema of another name',
    )
    .action((name: string, options: { force?: boolean }) =>
      restore(context, name, options.force === true),
    )
}

async function restore(context: CliContext, name: string, force: boolean): Promise<void> {
  const { environment, host } = context
  const { cwd } = context.options()
  await assertHuman(cwd, environment, null)
  const facts = await host.inspectRepository(cwd)
  const known = await locateRepository(cwd, environment, host).catch((error: unknown) => {
    if (error instanceof ExomonadError && error.code === 'REPOSITORY_MOVED') throw error
    return null
  })
  await assertHuman(cwd, environment, known)
  const rootWorktree = known?.file.rootWorktree ?? facts.worktree
  if (rootWorktree === null || facts.head.kind !== 'branch')
    throw new ExomonadError(
      'INVALID_ARG',
      `Restore into a clone with a branch checked out: ${cwd} has none. Nothing was touched.`,
    )
  const paths = known?.paths ?? pathsOf(facts.commonDir, facts.mainWorktree ?? rootWorktree)
  const root = rootWorktree === facts.worktree ? facts : await host.inspectRepository(rootWorktree)
  const unpacked = await withProgress(
    context,
    'Reading the backup',
    host.backup.unpack({
      file: resolve(cwd, name),
      force,
      paths,
      rootWorktree,
      branch: root.head.kind === 'branch' ? root.head.branch : '',
    }),
  )
  const { configFile, manifest } = unpacked
  const setUp = await setUpRepository(cwd, environment, host, async () =>
    configFile === null ? initialConfig(null) : readFile(configFile, 'utf8'),
  ).catch(async (error: unknown) => {
    await unpacked.giveUp()
    throw error
  })
  const done = await withProgress(
    context,
    'Restoring',
    host.backup.bringBack(unpacked, {
      paths: setUp.paths,
      rootWorktree: setUp.rootWorktree,
      store: await storeConfig(context, setUp.paths),
    }),
  )
  const { health } = await withProgress(
    context,
    'Starting the daemon',
    startAfterSetUp(setUp, host),
  )
  const { good, attention } = context.palette()
  present(context, { ...done, from: manifest.home, daemon: health }, () => [
    `${good('✓')} The tree of ${manifest.home} as it was ${relativeTime(done.at, context.now())}: ${plural(done.agents, 'agent')}, ${plural(done.made.length, 'new branch', 'new branches')}, ${plural(done.worktrees.length, 'worktree')}, ${done.uncommitted.length} of them with changes that are not committed`,
    ...(done.kept === null ? [] : [`  The store that was here is kept as ${done.kept}.`]),
    ...done.beside.map(
      (branch) =>
        `${attention('!')} ${branch} goes another way here, and stays; the backup’s is restored/${branch}.`,
    ),
    ...done.lacking.map(({ path, why }) => `${attention('!')} ${path}: ${printableLine(why)}`),
    ...(done.config === null
      ? []
      : [
          `${attention('!')} The configuration here is another one, and stays; the backup’s is ${done.config}.`,
        ]),
    ...(setUp.untrusted.length === 0
      ? []
      : ['  `exomonad trust` lets the configuration of this repository run.']),
    '  Agents are stopped: `exomonad resume --all` starts them again, with their conversations where their CLIs have those on this machine.',
  ])
}
