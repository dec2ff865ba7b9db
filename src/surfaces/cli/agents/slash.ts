import type { Command } from 'commander'
import type { TreeNode } from '../../../core/agents/tree-document.ts'
import { forkName } from '../../../domain/fork-name.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { isAgent } from '../is-agent.ts'
import { present, writeLines } from '../output.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { readWords } from '../read-stdin.ts'
import { parseSlashLine, SLASH_FORMS, type SlashLine } from './slash-line.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<line...>', 'Such as "/slash fork Read the tests"; - reads it from standard input')
    .addHelpText(
      'after',
      ['', 'Forms, also without /slash:', ...SLASH_FORMS.map((form) => `  ${form}`)].join('\n'),
    )
    .action(async (words: string[]) => {
      const text = await readWords(context, words)
      if (text.trim() === '') throw new UsageError('The line is empty.')
      const line = parseSlashLine(text)
      if (line.kind === 'error') throw new UsageError(line.message)
      const answer = await run(context, line)
      present(context, answer.document, () => answer.lines)
    })
}

interface Answer {
  readonly document: unknown
  readonly lines: readonly string[]
}

async function run(
  context: CliContext,
  line: Exclude<SlashLine, { kind: 'error' }>,
): Promise<Answer> {
  const client = await context.client()
  switch (line.kind) {
    case 'fork': {
      const forked = await fork(context, client, line.prompt)
      writeLines(context.terminal.stderr, forked.warnings.map(printableLine))
      return { document: forked, lines: [`${forked.agent_id} (${printableLine(forked.name)})`] }
    }
    case 'send': {
      const sent = await client.call('send', {
        to: line.to,
        message: line.message,
      })
      return { document: sent, lines: [`Sent to ${sent.to}`] }
    }
    case 'check-mail': {
      const mail = await client.call('check_mail', {})
      // Further lines of a message are set in, so that none passes for another message.
      const lines = mail.messages.map(
        ({ from, name, message }) =>
          `from ${from} (${printableLine(name)}): ${printable(message).trim().replaceAll('\n', '\n  ')}`,
      )
      return { document: mail, lines: lines.length === 0 ? ['No mail'] : lines }
    }
    case 'kill': {
      const ended = await client.call('kill', { agent: line.agent })
      return { document: ended, lines: [`Killed ${ended.killed.join(' ')}`] }
    }
  }
}

/**
 * What an agent’s child is sent that was forked without a prompt: it has the conversation, and
 * nothing else to go by.
 */
const INHERITED_TASK =
  'You were forked without a task of your own: you know what your parent knows up to here. Unless it is plain from that what your part is, tell your parent with send that you are there and ask what to do, then end your turn.'

/**
 * With a prompt a fresh child. Without, one that inherits; a person’s takes the open capture along,
 * or idles.
 */
async function fork(
  context: CliContext,
  client: Client,
  prompt: string | null,
): Promise<ToolResult<'fork' | 'fork_capture'>> {
  if (prompt === null && !isAgent(context.environment))
    return client.call('fork_capture', { context: 'inherit' })
  const { root } = await client.call('tree', {})
  const name = forkName(prompt ?? undefined, new Set(namesIn(root)))
  return client.call('fork', {
    name,
    ...(prompt === null
      ? { prompt: INHERITED_TASK, context: 'inherit' }
      : { prompt, context: 'fresh' }),
  })
}

const namesIn = (node: TreeNode): string[] => [
  node.name,
  node.branch,
  ...node.children.flatMap(namesIn),
]
