import type { Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { shortPath } from '../../text/short-path.ts'

export function define(command: Command, context: CliContext): void {
  command
    .command('move')
    .description(
      'Have the tree grow from the branch that is checked out in the root’s worktree; the agents there are stay as they are',
    )
    .action(async () => {
      const client = await context.client()
      const answer = await client.call('move_root', {})
      present(context, answer, () => describe(context, answer))
    })
}

function describe(
  context: CliContext,
  { from, to, worktree, moved, warnings }: ToolResult<'move_root'>,
): string[] {
  const palette = context.palette()
  const place = printableLine(shortPath(worktree, context.environment.home))
  if (!moved)
    return [`The tree grows from ${printableLine(to)} already, which is checked out in ${place}`]
  return [
    `${palette.good('✓')} The tree grows from ${palette.bold(printableLine(to))} now (${place})`,
    `  Agents of ${printableLine(from)} stay as they are: what they file goes into ${printableLine(from)}, and you answer and merge as before.`,
    ...warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
  ]
}
