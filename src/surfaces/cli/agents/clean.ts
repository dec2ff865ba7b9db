import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { renderTable, tableWidth } from '../../text/table.ts'

export function define(command: Command, context: CliContext): void {
  command
    .option('-n, --dry-run', 'Tell what would be removed, remove nothing')
    .option(
      '--kill',
      'Also agents whose program still runs, where their work is merged: it is ended',
    )
    .action(async ({ dryRun = false, kill = false }: { dryRun?: boolean; kill?: boolean }) => {
      const client = await context.client()
      const answer = await withProgress(
        context,
        'Looking at what is merged',
        client.call('clean', { dry_run: dryRun, kill }),
      )
      present(context, answer, () => describe(context, answer, dryRun))
    })
}

function describe(context: CliContext, answer: ToolResult<'clean'>, dryRun: boolean): string[] {
  const palette = context.palette()
  if (answer.removed.length === 0 && answer.kept.length === 0) return ['Nothing to clean']
  const rows = [
    ...answer.removed.map(({ agent, branch }) => [
      { text: dryRun ? '✓ would go' : '✓ removed', paint: palette.good },
      agent,
      branch,
      'proven merged',
    ]),
    ...answer.kept.map(({ agent, branch, reason }) => [
      { text: '○ kept', paint: palette.dim },
      agent,
      branch,
      reason,
    ]),
  ]
  return renderTable(
    [
      { title: '' },
      { title: 'AGENT', min: 8 },
      { title: 'BRANCH', min: 12 },
      { title: 'WHY', min: 12 },
    ],
    rows,
    {
      width: tableWidth(context),
      palette,
    },
  )
}
