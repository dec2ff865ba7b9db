import type { Command } from 'commander'
import { meantBy } from '../../../domain/addresses.ts'
import type { Client, EventQuery, WireEvent } from '../../client.ts'
import { isMinor, MAJOR_TYPES } from '../../text/event-line.ts'
import { happenedLines, summaryLines } from '../../text/log/log-lines.ts'
import { dayOf } from '../../text/log/log-words.ts'
import { namesOf } from '../../text/log/names-of.ts'
import { summarize, SUMMARY_TYPES, type LogSummary } from '../../text/log/summary.ts'
import { tableWidth } from '../../text/table.ts'
import { nodesOf } from '../../text/tree/rows.ts'
import type { CliContext } from '../context.ts'
import { parseSince } from '../daemon/events.ts'
import { interruptible } from '../interruptible.ts'
import { writeJson, writeJsonLine, writeLines } from '../output.ts'
import { writePaged } from '../pager.ts'

interface LogOptions {
  readonly since: string
  readonly agent?: string
  readonly type?: string[]
  readonly all?: boolean
  readonly follow?: boolean
  readonly pager: boolean
}

export function define(command: Command, context: CliContext): void {
  command
    .option(
      '-s, --since <when>',
      'From then on: a time (2026-01-31T12:00), or a duration ago (15m, 9h, 2d)',
      '24h',
    )
    .option('-a, --agent <agent>', 'Only about this agent: id, branch or name')
    .option('-t, --type <type...>', 'Only of these types, such as pr.merged')
    .option('--all', 'Also what matters little, such as each change of a state')
    .option('-f, --follow', 'Go on with what happens until Ctrl-C; with --json an event per line')
    .option('--no-pager', 'Print it all at once, also where it is longer than the screen')
    .addHelpText(
      'after',
      [
        '',
        'It is shown through $EXOMONAD_PAGER, git’s core.pager, $PAGER or `less -FRX`, the first that is set; `cat` or nothing is none.',
      ].join('\n'),
    )
    .action((options: LogOptions) => showLog(context, options))
}

/** A day in milliseconds: what was open when the time began may have begun so long before. */
const BEFORE = 24 * 60 * 60 * 1000

interface Found {
  readonly since: number
  readonly now: number
  readonly summary: LogSummary
  readonly events: readonly WireEvent[]
  readonly nameOf: (event: WireEvent) => string | null
}

async function showLog(context: CliContext, options: LogOptions): Promise<void> {
  const client = await context.client()
  const now = context.now()
  const since = parseSince(options.since, now)
  const { agent } = options
  const query: Query = {
    since,
    agent,
    types:
      options.type?.flatMap((type) => type.split(',')) ??
      (options.all === true ? undefined : MAJOR_TYPES),
  }
  const isShown = (event: WireEvent): boolean => options.all === true || !isMinor(event)
  const events = (await read(client, query)).filter(isShown)
  const facts = await read(client, { since: since - BEFORE, agent, types: SUMMARY_TYPES })
  const nodes = nodesOf((await client.call('tree', {})).root)
  const about = agent === undefined ? nodes : meantBy(nodes, agent)
  const found: Found = {
    since,
    now,
    summary: summarize(facts, about, { since, now }),
    events,
    nameOf: namesOf(nodes),
  }
  if (options.follow === true) {
    return interruptible(context, (signal) =>
      followLog(context, client, found, query, isShown, signal),
    )
  }
  if (context.options().json) {
    const { summary } = found
    return writeJson(context.terminal.stdout, { since, summary, events })
  }
  await writePaged(context, linesOf(context, found), { paged: options.pager })
}

type Query = Omit<EventQuery, 'follow'>

async function read(client: Client, query: Query): Promise<WireEvent[]> {
  const events: WireEvent[] = []
  for await (const event of client.events({ ...query, follow: false })) events.push(event)
  return events
}

function linesOf(context: CliContext, { since, now, summary, events, nameOf }: Found): string[] {
  const palette = context.palette()
  const width = tableWidth(context)
  const options = { palette, width: Number.isFinite(width) ? width : undefined }
  return [
    ...summaryLines(summary, { since, now }, options),
    '',
    ...(events.length === 0
      ? [palette.dim('Nothing happened.')]
      : happenedLines(events, nameOf, options)),
  ]
}

async function followLog(
  context: CliContext,
  client: Client,
  found: Found,
  query: Query,
  isShown: (event: WireEvent) => boolean,
  signal: AbortSignal,
): Promise<void> {
  const { stdout } = context.terminal
  const { json } = context.options()
  const { since, summary, events, nameOf } = found
  if (json) writeJsonLine(stdout, { since, summary, events })
  else writeLines(stdout, linesOf(context, found))
  const last = events.at(-1)
  let day = last === undefined ? '' : dayOf(last.at)
  const from = last === undefined ? {} : { after: last.seq }
  for await (const event of client.events({ ...query, ...from, follow: true, signal })) {
    if (event.seq <= (last?.seq ?? 0) || !isShown(event)) continue
    if (json) {
      writeJsonLine(stdout, event)
      continue
    }
    const width = tableWidth(context)
    const options = {
      palette: context.palette(),
      width: Number.isFinite(width) ? width : undefined,
    }
    writeLines(stdout, happenedLines([event], nameOf, { ...options, before: day }))
    day = dayOf(event.at)
  }
}
