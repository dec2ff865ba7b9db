import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'
import { plural } from '../../text/quantity.ts'

export function define(command: Command, context: CliContext): void {
  command.action(() => reapDead(context))
}

export async function reapDead(context: CliContext): Promise<void> {
  const client = await context.client()
  const answer = await client.call('reap', {})
  present(context, answer, () =>
    answer.reaped.length === 0
      ? ['No agent has ended']
      : [
          `${context.palette().good('✓')} ${plural(answer.reaped.length, 'ended agent')} out of sight; branches, worktrees and pull requests stay (\`exomonad clean\`)`,
        ],
  )
}
