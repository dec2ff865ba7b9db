import type { Command } from 'commander'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { Client, WireEvent } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { parseDuration } from '../../text/duration.ts'
import { eventLine } from '../../text/event-line.ts'
import { UsageError } from '../exit-codes.ts'
import { interruptible } from '../interruptible.ts'
import { writeJson, writeJsonLine } from '../output.ts'
import { wholeNumber } from './whole-number.ts'

interface EventOptions {
  readonly follow?: boolean
  readonly since?: string
  readonly type?: string[]
  readonly agent?: string
  readonly last?: number
}

export function define(command: Command, context: CliContext): void {
  command
    .option('-f, --follow', 'Go on with new events until Ctrl-C; with --json one document per line')
    .option(
      '-s, --since <when>',
      'Only from then on: a time (2026-01-31T12:00), or a duration ago (15m, 2h, 1d)',
    )
    .option('-t, --type <type...>', 'Only of these types, such as pr.merged')
    .option('-a, --agent <agent>', 'Only about this agent: id, branch or name')
    .option('-n, --last <count>', 'Only the newest so many', wholeNumber('--last'))
    .action(async (options: EventOptions) => {
      const client = await context.client()
      const query = {
        since: options.since === undefined ? undefined : parseSince(options.since, context.now()),
        types: options.type?.flatMap((type) => type.split(',')),
        agent: options.agent,
        last: options.last,
      }
      if (options.follow === true) {
        return interruptible(context, async (signal) =>
          printEach(context, client, client.events({ ...query, follow: true, signal })),
        )
      }
      const events = client.events({ ...query, follow: false })
      if (!context.options().json) return printEach(context, client, events)
      const document: WireEvent[] = []
      for await (const event of events) document.push(event)
      writeJson(context.terminal.stdout, document)
    })
}

async function printEach(
  context: CliContext,
  client: Client,
  events: AsyncIterable<WireEvent>,
): Promise<void> {
  const { stdout } = context.terminal
  const names = createNames(client)
  for await (const event of events) {
    names.learn(event)
    if (context.options().json) writeJsonLine(stdout, event)
    else
      stdout.write(
        `${eventLine(event, await names.of(event.agentId), { palette: context.palette(), width: stdout.isTTY === true ? context.width() : undefined })}\n`,
      )
  }
}

/**
 * Names of agents by id, read from the tree when one is not known yet, and from events: what was
 * cleaned away is in no tree.
 */
export function createNames(client: Client): {
  of(id: string | null): Promise<string | null>
  learn(event: WireEvent): void
} {
  const names = new Map<string, string>()
  const visit = (node: TreeNode): void => {
    names.set(node.id, node.name)
    node.children.forEach(visit)
  }
  return {
    learn({ type, agentId, payload }) {
      if (agentId !== null && type.startsWith('agent.') && typeof payload['name'] === 'string')
        names.set(agentId, payload['name'])
    },
    async of(id) {
      if (id === null) return null
      if (!names.has(id)) {
        const view = await client.call('tree', {}).catch(() => undefined)
        if (view !== undefined) visit(view.root)
        // Asked once for each: the agent of a spawn that was taken back is in no tree.
        if (!names.has(id)) names.set(id, id.slice(0, 8))
      }
      return names.get(id) ?? null
    },
  }
}

/** Milliseconds since the epoch. UsageError for what is neither a duration nor a time. */
export function parseSince(text: string, now: number): number {
  const ago = /^\d{4}/.test(text) && text.length > 5 ? undefined : parseDuration(text)
  if (ago !== undefined) return now - ago * 1000
  const at = Date.parse(text)
  if (Number.isNaN(at))
    throw new UsageError(
      `--since ${text}: expected a time such as 2026-01-31T12:00, or a duration such as 15m.`,
    )
  return at
}
