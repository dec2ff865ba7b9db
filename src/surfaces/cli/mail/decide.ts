import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { present } from '../output.ts'

/** `approve` and `deny` differ in the tool alone. */
export function defineDecision(
  command: Command,
  context: CliContext,
  tool: 'approve' | 'deny',
): void {
  command
    .argument('<approval>', 'Its id, from `exomonad inbox`')
    .option('-r, --reason <text>', 'Why; the agent gets it')
    .action(async (approval: string, options: { reason?: string }) => {
      const client = await context.client()
      const input = {
        approval_id: approval,
        ...(options.reason === undefined ? {} : { reason: options.reason }),
      }
      const answer = await client.call(tool, input)
      present(context, answer, () => [
        `${context.palette().good('✓')} ${answer.approval_id}: ${answer.decision}`,
      ])
    })
}
