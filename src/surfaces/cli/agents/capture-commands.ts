import type { ToolResult } from '../../../tools/types.ts'
import { warningLines } from '../../text/marks.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import type { CommandModule } from '../command-module.ts'
import type { CliContext } from '../context.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'

const whose = (context: CliContext): string => printableLine(context.options().as ?? 'the root')

const start = toolCommand('capture', {
  command: 'capture start',
  show: ({ lines }, { context, palette }) => [
    `${palette.good('✓')} A capture for a child of ${whose(context)} is open${lines === 0 ? '' : `, with ${plural(lines, 'line')} already`}`,
  ],
})

const add = toolCommand('capture', {
  command: 'capture add',
  show: ({ lines }, { context, palette }) => [
    `${palette.good('✓')} ${plural(lines, 'line')} captured for a child of ${whose(context)}`,
  ],
})

const show = toolCommand('scrollback', {
  show: (held, { context }) =>
    captured(held) ?? [`No capture is open for a child of ${whose(context)}`],
})

const fork = toolCommand('fork_capture', {
  show: (child, { palette }) => [
    `${palette.good('✓')} ${printableLine(child.name)} ${child.captured ? 'works on what was captured' : 'idles; nothing was captured'}`,
    ...warningLines(child.warnings, palette),
  ],
})

const cancel = toolCommand('cancel', {
  show: ({ lines }, { context, palette }) => [
    `${palette.good('✓')} The capture for a child of ${whose(context)} is given up; its ${plural(lines, 'line')} went to nobody`,
  ],
})

export const captureGroup = (reap: CommandModule): CommandModule =>
  commandGroup({ start, add, show, fork, cancel, reap })

/** The last lines are those of the capture that is open; null where none is. */
function captured({ entries, capture_lines: count }: ToolResult<'scrollback'>): string[] | null {
  if (count === null) return null
  const lines = entries.filter(({ kind }) => kind === 'capture').map(({ text }) => printable(text))
  return lines.slice(lines.length - count)
}
