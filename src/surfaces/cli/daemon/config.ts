import type { Command } from 'commander'
import type { Finding } from '../../../config/finding.ts'
import { checkTrust } from '../../../config/trust.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { trustSubject } from '../init/initialize.ts'
import { locateRepository } from '../locate.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { shortPath } from '../../text/short-path.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('check')
    .description(
      'Check the configuration and your own templates, and say every finding with its line',
    )
    .argument('[file]', 'Another file than this repository’s')
    .action(async (file: string | undefined) => {
      const located =
        file === undefined
          ? await locateRepository(context.options().cwd, context.environment, context.host)
          : null
      const path = file ?? located?.paths.configFile ?? ''
      const findings = [
        ...(await findingsIn(context, path)),
        ...(located === null ? [] : await context.host.checkTemplates(located.paths.templates)),
      ]
      const trust =
        located === null
          ? null
          : await checkTrust(trustSubject(located.paths, context.environment, context.host))
      if (findings.length > 0) context.markFailed()
      present(
        context,
        { file: path, ok: findings.length === 0, findings, trusted: trust?.trusted ?? null },
        () => {
          const palette = context.palette()
          const shown = printableLine(shortPath(path, context.environment.home))
          const untrusted =
            trust?.trusted === false
              ? [
                  `${palette.attention('!')} Not trusted yet: ${trust.changed.map(printableLine).join(', ')}. Read it, then run \`exomonad trust\`.`,
                ]
              : []
          if (findings.length === 0)
            return [`${palette.good('✓')} ${shown} is in order`, ...untrusted]
          return [
            `${palette.bad('✗')} ${shown}`,
            ...findings.map(
              (finding) =>
                `  ${palette.dim(finding.line === null ? '' : `line ${finding.line}`.padEnd(9))}${palette.bold(printableLine(finding.key))} ${printableLine(finding.problem)}`,
            ),
            ...untrusted,
          ]
        },
      )
    })
}

async function findingsIn(context: CliContext, path: string): Promise<readonly Finding[]> {
  try {
    const { attention } = await context.host.loadConfig(path)
    return await context.host.checkAttention(attention)
  } catch (error) {
    if (!(error instanceof ExomonadError) || error.code !== 'CONFIG_INVALID') throw error
    const findings = error.facts['findings']
    return Array.isArray(findings)
      ? (findings as Finding[])
      : [{ key: '', line: null, problem: error.message }]
  }
}
