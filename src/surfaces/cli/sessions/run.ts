import { constants } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { followOutput } from '../agents/follow-output.ts'
import { interruptible } from '../interruptible.ts'
import { leftRunning } from '../left-running.ts'
import { locateRepository } from '../locate.ts'
import { exactly, present, writeLines } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { quoteForShell } from '../../text/shell-quote.ts'
import { startedLines } from './started-lines.ts'
import { resultOf, untilEnded } from './until-ended.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument(
      '<command...>',
      'One word is a line for the shell; several are a program and its arguments. -- goes in front of options that are not exomonad’s',
    )
    .option('-w, --wait', 'Print what it writes until it ends, and exit with its code')
    .addHelpText(
      'after',
      `
It runs in your worktree with your rights, without a terminal, and goes on when
this shell and the daemon end.

exomonad status lists what runs, exomonad logs NAME -f shows what it writes
([stderr] in front of lines of that), exomonad stdin NAME "yes" answers it,
exomonad result NAME shows how it ended, exomonad kill NAME ends it with all its
processes. With --wait Ctrl-C stops watching; it runs on.`,
    )
    .action(async (words: string[], options: { wait?: boolean }) => {
      const line = words.length === 1 ? (words[0] ?? '') : quoteForShell(words)
      if (line.trim() === '') throw new UsageError('The command is empty.')
      const client = await context.client()
      const spawned = await client.call('spawn_background_task', { command: line })
      if (options.wait === true) return watch(context, client, spawned.agent_id)
      const lines = await startedLines(
        { client, palette: context.palette() },
        spawned.agent_id,
        (name) =>
          `exomonad logs ${name} -f shows what it writes, exomonad result ${name} how it ended`,
      )
      present(context, spawned, () => lines)
    })
}

async function watch(context: CliContext, client: Client, id: string): Promise<void> {
  const { json, cwd } = context.options()
  const output = json
    ? undefined
    : join(
        (await locateRepository(cwd, context.environment, context.host)).paths.outputs,
        `${id}.log`,
      )
  await interruptible(context, async (given) => {
    const over = new AbortController()
    let name = id
    const following =
      output === undefined
        ? undefined
        : followOutput(exactly(context.terminal.stdout), output, { written: over.signal, given })
    try {
      const ended = await untilEnded(client, id, given, (status) => (name = status.name))
      const result = ended === undefined ? undefined : await resultOf(client, id, given)
      over.abort()
      await following
      if (result === undefined) return leftRunning(context, name)
      const { root } = await client.call('tree', {}, { signal: given })
      const node = nodeWith(root, id)
      context.exitWith(exitCodeOf(result.status, node))
      if (result.status === 'killed' && !json)
        writeLines(context.terminal.stderr, [
          `${context.palette(context.terminal.stderr).bad('✗')} ${printableLine(name)} was killed`,
        ])
      if (json)
        present(
          context,
          { ...result, exit_code: node?.exit_code ?? null, exit_signal: node?.exit_signal ?? null },
          () => [],
        )
    } finally {
      over.abort()
    }
  })
}

const nodeWith = (node: TreeNode, id: string): TreeNode | undefined =>
  node.id === id
    ? node
    : node.children.map((child) => nodeWith(child, id)).find((found) => found !== undefined)

/** As a shell would report it. */
function exitCodeOf(status: 'completed' | 'failed' | 'killed', node: TreeNode | undefined): number {
  if (node !== undefined && node.exit_code !== null) return node.exit_code
  const signal = constants.signals[node?.exit_signal as NodeJS.Signals] as number | undefined
  return signal === undefined ? (status === 'completed' ? 0 : 1) : 128 + signal
}
