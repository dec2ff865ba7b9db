import { Option, type Command } from 'commander'
import type { ToolInput, ToolName, ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { readStdin } from '../read-stdin.ts'
import { reapDead } from './reap.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('start')
    .description(
      'Open a capture: what is added to it becomes a child’s task, and never reaches the agent itself',
    )
    .action(async () => {
      const captured = await call(context, 'capture', {})
      const more = captured.lines === 0 ? '' : `, with ${plural(captured.lines, 'line')} already`
      present(context, captured, () => [
        `${good(context)} A capture for a child of ${whose(context)} is open${more}`,
      ])
    })
  command
    .command('add')
    .description('Add to the open capture')
    .argument('<text...>', 'A line; - reads lines from standard input')
    .action(async (words: string[]) => {
      const text =
        words.length === 1 && words[0] === '-' ? await readStdin(context) : words.join(' ')
      const captured = await call(context, 'capture', { begin: false, text })
      present(context, captured, () => [
        `${good(context)} ${plural(captured.lines, 'line')} captured for a child of ${whose(context)}`,
      ])
    })
  command
    .command('show')
    .description('Print what the open capture holds')
    .action(async () => {
      const scrollback = await call(context, 'scrollback', {})
      present(
        context,
        scrollback,
        () => captured(scrollback) ?? [`No capture is open for a child of ${whose(context)}`],
      )
    })
  command
    .command('fork')
    .description('Fork a child whose prompt is the open capture; without one, a child that idles')
    .argument('[name]', 'Default: the first words of the capture')
    .addOption(
      new Option(
        '-c, --context <which>',
        'With the agent’s conversation so far, or fresh: with the prompt alone',
      )
        .choices(['inherit', 'fresh'])
        .default('inherit'),
    )
    .action(
      async (name: string | undefined, { context: how }: { context: 'inherit' | 'fresh' }) => {
        const child = await call(context, 'fork_capture', {
          ...(name === undefined ? {} : { name }),
          context: how,
        })
        present(context, child, () => [
          `${good(context)} ${printableLine(child.name)} ${child.captured ? 'works on what was captured' : 'idles; nothing was captured'}`,
          ...child.warnings.map(
            (warning) => `${context.palette().attention('!')} ${printableLine(warning)}`,
          ),
        ])
      },
    )
  command
    .command('cancel')
    .description('Give the open capture up; its lines stay in the scrollback')
    .action(async () => {
      const given = await call(context, 'cancel', {})
      present(context, given, () => [
        `${good(context)} The capture for a child of ${whose(context)} is given up; its ${plural(given.lines, 'line')} went to nobody`,
      ])
    })
  command
    .command('reap')
    .description('The same as `exomonad reap`')
    .action(() => reapDead(context))
}

const call = async <Name extends ToolName>(
  context: CliContext,
  tool: Name,
  input: ToolInput<Name>,
): Promise<ToolResult<Name>> => (await context.client()).call(tool, input)

const good = (context: CliContext): string => context.palette().good('✓')
const whose = (context: CliContext): string => printableLine(context.options().as ?? 'the root')

/** The last lines are those of the capture that is open; null where none is. */
function captured({ entries, capture_lines: count }: ToolResult<'scrollback'>): string[] | null {
  if (count === null) return null
  const lines = entries.filter(({ kind }) => kind === 'capture').map(({ text }) => printable(text))
  return lines.slice(lines.length - count)
}
