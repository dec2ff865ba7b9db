import type { Command } from 'commander'
import { writeRepositoryRecord } from '../../../config/user-state.ts'
import { assertHuman } from '../connect.ts'
import type { CliContext } from '../context.ts'
import { ensureDaemon, stopDaemon } from './daemon-process.ts'
import { askHealth, type Health } from './health.ts'
import { isOtherBuild, RESTART } from './other-build.ts'
import { locateRepository, type LocatedRepository } from '../locate.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { shortDuration } from '../../text/duration.ts'
import { printableLine } from '../../text/printable.ts'
import { renderFacts } from '../../text/table.ts'
import { wholeNumber } from './whole-number.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('run')
    .description('Run the daemon in this terminal until Ctrl-C')
    .action(async () => {
      const { cwd, json } = context.options()
      const { formatLogLine } = await import('./daemon-log.ts')
      await context.host.runDaemon({
        cwd,
        ...(!json && {
          onLog: (line) =>
            void context.terminal.stdout.write(
              `${formatLogLine(line.trimEnd(), context.palette())}\n`,
            ),
        }),
      })
    })
  command
    .command('start')
    .description('Start the daemon in the background; agents that still run are adopted')
    .action(async () => {
      const located = await locateForHuman(context)
      const { health, started } = await withProgress(
        context,
        'Starting the daemon',
        ensureDaemon(subjectOf(located, context)),
      )
      present(context, { running: true, started, ...health }, () => [
        `${context.palette().good('✓')} The daemon ${started ? 'runs' : 'was running already'}: process ${health.pid}`,
        ...(isOtherBuild(health, context)
          ? [
              `${context.palette().attention('!')} It is of another exomonad than this one: ${RESTART}`,
            ]
          : []),
      ])
    })
  command
    .command('stop')
    .description('Stop the daemon; agents go on, and the next start adopts them')
    .action(async () => {
      const located = await locateForHuman(context)
      const stopped = await withProgress(
        context,
        'Stopping the daemon',
        stopDaemon(context.host, located.file.socket),
      )
      if (stopped !== null) await forgetPid(located, context)
      present(context, { stopped: stopped !== null, pid: stopped?.pid ?? null }, () => [
        stopped === null
          ? 'The daemon was not running'
          : `${context.palette().good('✓')} The daemon has stopped; agents go on`,
      ])
    })
  command
    .command('status')
    .description('Show whether the daemon runs; exits with 1 where it does not')
    .action(async () => {
      const located = await locateRepository(
        context.options().cwd,
        context.environment,
        context.host,
      )
      const { socket } = located.file
      const health = await askHealth(socket)
      if (typeof health === 'string') context.markFailed()
      const state =
        typeof health === 'string'
          ? { running: health === 'silent', pid: null, socket }
          : { running: true, socket, ...health }
      present(context, state, () => describeStatus(context, located, health))
    })
  command
    .command('logs')
    .description('Print the daemon’s log')
    .option('-n, --lines <count>', 'How many of the last lines', wholeNumber('--lines'), 50)
    .option('-f, --follow', 'Go on with new lines until Ctrl-C')
    .action(async (options: { lines: number; follow?: boolean }) => {
      const { printDaemonLog } = await import('./daemon-log.ts')
      const located = await locateRepository(
        context.options().cwd,
        context.environment,
        context.host,
      )
      await printDaemonLog(context, located.paths, options)
    })
}

export const subjectOf = (
  located: LocatedRepository,
  context: CliContext,
): Parameters<typeof ensureDaemon>[0] => ({
  paths: located.paths,
  socket: located.file.socket,
  host: context.host,
})

export async function locateForHuman(context: CliContext): Promise<LocatedRepository> {
  const { cwd } = context.options()
  await assertHuman(cwd, context.environment, null)
  const located = await locateRepository(cwd, context.environment, context.host)
  await assertHuman(cwd, context.environment, located)
  return located
}

/** So that `ps` doesn’t name a process that is another’s by now. */
export async function forgetPid(located: LocatedRepository, context: CliContext): Promise<void> {
  const { paths, file } = located
  await writeRepositoryRecord(context.environment, {
    commonDir: paths.commonDir,
    home: paths.home,
    socket: file.socket,
    pid: null,
  })
}

function describeStatus(
  context: CliContext,
  located: LocatedRepository,
  health: Health | 'absent' | 'silent',
): string[] {
  const palette = context.palette()
  if (health === 'absent')
    return [`${palette.dim('○')} The daemon is not running. \`exomonad daemon start\` starts it.`]
  if (health === 'silent')
    return [
      `${palette.attention('●')} The daemon runs and does not answer just now. It may be busy: \`exomonad daemon logs\``,
    ]
  const facts: [string, string][] = [
    ['process', String(health.pid)],
    ['version', health.version],
    ['socket', located.file.socket],
  ]
  if (health.uptime_seconds !== undefined)
    facts.unshift(['up', shortDuration(health.uptime_seconds)])
  return [
    `${palette.good('●')} The daemon runs`,
    ...renderFacts(facts, palette).map((line) => `  ${line}`),
    ...(isOtherBuild(health, context)
      ? [`${palette.attention('!')} It is of another exomonad than this one: ${RESTART}`]
      : []),
    ...(health.notify_trouble ?? []).map(
      ({ target, reason }) =>
        `${palette.attention('!')} ${target} does not notify you: ${printableLine(reason)}`,
    ),
  ]
}
