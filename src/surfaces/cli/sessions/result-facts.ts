import type { ToolResult } from '../../../tools/types.ts'
import { shortDuration } from '../../text/duration.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'

const SIGNS = { completed: ['✓', 'good'], failed: ['✗', 'bad'], killed: ['✗', 'dim'] } as const
const FILES_SHOWN = 10

/** How it went: a line with the summary, and one of the files it changed. */
export function resultFacts(
  palette: Palette,
  name: string,
  {
    status,
    summary,
    output,
    files_modified: files,
    elapsed_secs: elapsed,
  }: ToolResult<'agent_result'>,
): string[] {
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
