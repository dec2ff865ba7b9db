import type { Command } from 'commander'
import { assertHuman } from './connect.ts'
import type { CliContext } from './context.ts'
import { setUpRepository, startAfterSetUp, type SetUp } from './initialize.ts'
import { locateRepository } from './locate.ts'
import { present } from './output.ts'
import { printableLine } from './printable.ts'
import { withProgress } from './progress.ts'
import { renderFacts } from './table.ts'
import { shortPath } from './short-path.ts'

export function define(command: Command, context: CliContext): void {
  command.action(async () => {
    const { cwd } = context.options()
    const located = await locateRepository(cwd, context.environment, context.host).catch(() => null)
    await assertHuman(cwd, context.environment, located)
    const setUp = await setUpRepository(cwd, context.environment, context.host)
    const { health, started } = await withProgress(context, 'Starting the daemon', startAfterSetUp(setUp, context.host))
    const document = {
      already: setUp.already,
      repository: setUp.paths.commonDir,
      home: setUp.paths.home,
      root_worktree: setUp.rootWorktree,
      root_branch: setUp.rootBranch,
      config: setUp.paths.configFile,
      config_written: setUp.wroteConfig,
      untrusted: setUp.untrusted,
      state: setUp.paths.state,
      socket: setUp.socket,
      daemon: { pid: health.pid, version: health.version, started },
    }
    present(context, document, () => describe(context, setUp, { pid: health.pid, started }))
  })
}

function describe(context: CliContext, setUp: SetUp, daemon: { pid: number; started: boolean }): string[] {
  const palette = context.palette()
  const short = (path: string): string => printableLine(shortPath(path, context.environment.home))
  const headline = setUp.already
    ? `${palette.good('✓')} exomonad is set up here already; ${setUp.wroteConfig ? 'its configuration was gone, and is back' : 'nothing was changed'}`
    : `${palette.good('✓')} exomonad is set up in ${palette.bold(short(setUp.paths.home))}`
  const facts = renderFacts(
    [
      ['root', `${palette.bold(printableLine(setUp.rootBranch ?? 'no branch checked out'))} ${palette.dim(`in ${short(setUp.rootWorktree)}`)}`],
      ['config', `${short(setUp.paths.configFile)}${setUp.wroteConfig ? palette.dim(' (new)') : ''}`],
      ['state', short(setUp.paths.state)],
      ['daemon', `process ${daemon.pid}${daemon.started ? palette.dim(' (just started)') : ''}`],
    ],
    palette,
  ).map((line) => `  ${line}`)
  const next =
    setUp.untrusted.length > 0
      ? [
          `${palette.attention('!')} ${setUp.untrusted.map(printableLine).join(', ')} came with this repository and runs nothing yet. Read it, then run \`exomonad trust\`.`,
        ]
      : setUp.already && !setUp.wroteConfig
        ? []
        : ['Next: name your agent program in the configuration, then `exomonad up "TASK"`. Or watch `exomonad demo` first.']
  return [headline, ...facts, ...next]
}
