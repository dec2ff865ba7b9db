import type { Client } from '../../client.ts'
import { shortDuration } from '../../text/duration.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { shortCount } from '../../text/quantity.ts'
import { renderTable, type Cell } from '../../text/table.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { readStatus, type AgentStatus } from '../sessions/agent-status.ts'

/** `exomonad status --watch`. */
export async function watchStatus(
  context: CliContext,
  client: Client,
  agent: string | undefined,
): Promise<void> {
  const { stdout } = context.terminal
  if (context.options().json || stdout.isTTY !== true)
    throw new UsageError('--watch needs a terminal; `exomonad events --follow` is for scripts.')
  const under = agent === undefined ? undefined : (await readStatus(client, agent)).agent_id
  const [{ interruptible }, { watchSessions }] = await Promise.all([
    import('../interruptible.ts'),
    import('../sessions/session-watch.ts'),
  ])
  await interruptible(context, (signal) =>
    watchSessions(context, client, { under, stream: stdout, signal, keep: true }),
  )
}

export function statusTable(
  all: readonly AgentStatus[],
  now: number,
  options: { width: number; palette: Palette },
): string[] {
  if (all.length === 0) return ['No agents']
  const { palette } = options
  const rows = all.map((status): (Cell | string)[] => [
    printableLine(status.name),
    { text: status.kind, paint: palette.dim },
    standing(status, palette, now),
    { text: tookSeconds(status, now), paint: palette.dim },
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
    options,
  )
}

/** Of one that does not work what it waits for, and for how long. */
function standing({ status, waits }: AgentStatus, palette: Palette, now: number): Cell {
  const [first, ...more] = status === 'running' ? waits : []
  if (first === undefined) return STATUSES[status](palette)
  const others = more.length === 0 ? '' : ` +${more.length}`
  const since = shortDuration((now - Date.parse(first.since)) / 1000)
  return {
    text: `○ waits for ${printableLine(first.what)}${others}, ${since}`,
    paint: palette.attention,
  }
}

type Painted = (palette: Palette) => Cell

const STATUSES: Readonly<Record<AgentStatus['status'], Painted>> = {
  running: (palette) => ({ text: '◐ running', paint: palette.active }),
  completed: (palette) => ({ text: '✓ completed', paint: palette.good }),
  failed: (palette) => ({ text: '✗ failed', paint: palette.bad }),
  killed: (palette) => ({ text: '✗ killed', paint: palette.dim }),
}

/** Until its end, or now. */
const tookSeconds = ({ spawned_at: from, completed_at: to }: AgentStatus, now: number): string =>
  shortDuration(((to === null ? now : Date.parse(to)) - Date.parse(from)) / 1000)
