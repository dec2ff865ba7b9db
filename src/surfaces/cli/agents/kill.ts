import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'

export function define(command: Command, context: CliContext): void {
  command.argument('<agent>', 'Id, branch or name').action(async (agent: string) => {
    const client = await context.client()
    const answer = await client.call('kill', { agent })
    present(context, answer, () => {
      const below = answer.killed.length - 1
      const more = below > 0 ? ` and ${plural(below, 'agent')} below it` : ''
      return [
        `${context.palette().good('✓')} Killed ${printableLine(agent)}${more}; branches, worktrees and pull requests stay`,
      ]
    })
  })
}
