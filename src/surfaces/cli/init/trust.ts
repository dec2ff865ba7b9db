import type { Command } from 'commander'
import { checkTrust, recordTrust } from '../../../config/trust.ts'
import type { CliContext } from '../context.ts'
import { locateForHuman } from '../daemon/daemon.ts'
import { trustSubject } from './initialize.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { describeWhatRuns } from './what-runs.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option('--check', 'Record nothing; exit with 1 where something is not trusted')
    .action(async (options: { check?: boolean }) => {
      const { paths } = await locateForHuman(context)
      const subject = trustSubject(paths, context.environment, context.host)
      const before = await checkTrust(subject)
      const palette = context.palette()
      if (options.check === true) {
        if (!before.trusted) context.markFailed()
        present(context, before, () =>
          before.trusted
            ? [`${palette.good('✓')} Everything in .exomonad/ is trusted`]
            : before.changed.map(
                (path) =>
                  `${palette.attention('!')} ${printableLine(path)} is not trusted as it is now`,
              ),
        )
        return
      }
      const runs = await describeWhatRuns(context, paths)
      const files = await recordTrust(subject)
      const changed = before.trusted ? [] : before.changed
      present(context, { trusted: true, files, changed }, () => [
        `${palette.good('✓')} Trusted as ${files.length === 1 ? 'it is' : 'they are'} now: ${files.map(printableLine).join(', ') || 'nothing, there is no configuration'}`,
        ...runs,
        palette.dim('Any change, by a pull as well, asks again.'),
      ])
    })
}
