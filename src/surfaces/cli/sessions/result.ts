import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { shortDuration } from '../../text/duration.ts'
import { present } from '../output.ts'
import { printable, printableLine } from '../../text/printable.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<agent>', 'Id, branch or name')
    .addHelpText(
      'after',
      '\nHow it ended, what it changed, and what it wrote at last. While it runs, exomonad logs AGENT -f shows that. Asking takes nothing away.',
    )
    .action(async (agent: string) => {
      const client = await context.client()
      const result = await client.call('agent_result', { agent_id: agent })
      present(context, result, () => {
        const output = printable(result.output).trimEnd()
        return [...resultFacts(context, agent, result), ...(output === '' ? [] : ['', output])]
      })
    })
}

const SIGNS = { completed: ['✓', 'good'], failed: ['✗', 'bad'], killed: ['✗', 'dim'] } as const
const FILES_SHOWN = 10

/** How it went: a line with the summary, and one of the files it changed. */
export function resultFacts(
  context: CliContext,
  name: string,
  {
    status,
    summary,
    output,
    files_modified: files,
    elapsed_secs: elapsed,
  }: ToolResult<'agent_result'>,
): string[] {
  const palette = context.palette()
  const [sign, colour] = SIGNS[status]
  const said = printableLine(summary)
  // Where the summary is the answer itself, it is not said twice.
  const words = said === '' || said === printableLine(output) ? '' : `: ${said}`
  const more = files.length > FILES_SHOWN ? ` and ${files.length - FILES_SHOWN} more` : ''
  return [
    `${palette[colour](`${sign} ${status}`)} ${palette.bold(printableLine(name))} after ${shortDuration(elapsed)}${words}`,
    ...(files.length === 0
      ? []
      : [
          palette.dim(
            `changed: ${files.slice(0, FILES_SHOWN).map(printableLine).join(', ')}${more}`,
          ),
        ]),
  ]
}
