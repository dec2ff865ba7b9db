import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { shortDuration } from '../../text/duration.ts'
import { UsageError } from '../exit-codes.ts'
import { readStatus, type AgentStatus } from '../sessions/agent-status.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { shortCount } from '../../text/quantity.ts'
import { renderTable, tableWidth, type Cell } from '../../text/table.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('[agent]', 'Id, branch or name; default: all')
    .option(
      '-w, --watch',
      'Keep showing sessions and processes with what they do, live, until Ctrl-C',
    )
    .action(async (agent: string | undefined, options: { watch?: boolean }) => {
      const client = await context.client()
      if (options.watch === true) {
        const { stdout } = context.terminal
        if (context.options().json || stdout.isTTY !== true)
          throw new UsageError(
            '--watch needs a terminal; `exomonad events --follow` is for scripts.',
          )
        const under = agent === undefined ? undefined : (await readStatus(client, agent)).agent_id
        const [{ interruptible }, { watchSessions }] = await Promise.all([
          import('../interruptible.ts'),
          import('../sessions/session-watch.ts'),
        ])
        return interruptible(context, (signal) =>
          watchSessions(context, client, { under, stream: stdout, signal, keep: true }),
        )
      }
      const status = await client.call(
        'agent_status',
        agent === undefined ? {} : { agent_id: agent },
      )
      present(context, status, () => table(context, 'agents' in status ? status.agents : [status]))
    })
}

function table(context: CliContext, all: readonly AgentStatus[]): string[] {
  if (all.length === 0) return ['No agents']
  const palette = context.palette()
  const rows = all.map((status): (Cell | string)[] => [
    printableLine(status.name),
    { text: status.kind, paint: palette.dim },
    STATUSES[status.status](palette),
    { text: tookSeconds(status, context.now()), paint: palette.dim },
    { text: String(status.tool_calls), paint: palette.dim },
    { text: shortCount(status.tokens), paint: palette.dim },
    { text: status.agent_id, paint: palette.dim },
  ])
  return renderTable(
    [
      { title: 'NAME', min: 10 },
      { title: 'KIND' },
      { title: 'STATUS' },
      { title: 'TIME', align: 'end' },
      { title: 'CALLS', align: 'end' },
      { title: 'TOKENS', align: 'end' },
      { title: 'ID', isWhole: true },
    ],
    rows,
    { width: tableWidth(context), palette },
  )
}

type Painted = (palette: ReturnType<CliContext['palette']>) => Cell

const STATUSES: Readonly<Record<AgentStatus['status'], Painted>> = {
  running: (palette) => ({ text: '◐ running', paint: palette.active }),
  completed: (palette) => ({ text: '✓ completed', paint: palette.good }),
  failed: (palette) => ({ text: '✗ failed', paint: palette.bad }),
  killed: (palette) => ({ text: '✗ killed', paint: palette.dim }),
}

/** Until its end, or now. */
const tookSeconds = ({ spawned_at: from, completed_at: to }: AgentStatus, now: number): string =>
  shortDuration(((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1000)
