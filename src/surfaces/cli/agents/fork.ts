import { Option, type Command } from 'commander'
import type { ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { isAgent } from '../is-agent.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { readMessage } from '../read-stdin.ts'

type Context = 'inherit' | 'fresh'
type Forked = ToolResult<'fork' | 'fork_capture'>

export function define(command: Command, context: CliContext): void {
  command
    .argument(
      '[name]',
      'What to call it: a word or two; without one, the first words of its prompt, else fork-N',
    )
    .argument(
      '[prompt...]',
      'What it is to do; - reads it from standard input; without one, the lines of the open capture, else nothing yet',
    )
    .addOption(
      new Option(
        '-c, --context <which>',
        'With the conversation of the one it is forked from, or fresh: with the prompt alone',
      )
        .choices(['inherit', 'fresh'])
        .default('inherit'),
    )
    .action(async (name: string | undefined, words: string[], options: { context: Context }) => {
      const prompt = words.length === 0 ? undefined : await readMessage(context, words, 'prompt')
      if (prompt === undefined && isAgent(context.environment))
        throw new UsageError(
          'An agent’s fork needs a name and a prompt: `exomonad fork NAME "PROMPT"`',
        )
      const client = await context.client()
      const how = { ...(name === undefined ? {} : { name }), context: options.context }
      // Words of a prompt come behind a name.
      const call: Promise<Forked> =
        prompt === undefined
          ? client.call('fork_capture', how)
          : client.call('fork', { name: '', ...how, prompt })
      const forked = await withProgress(context, 'Forking', call)
      present(context, forked, () => describe(context, forked))
    })
}

const CONTEXTS: Readonly<Record<Forked['context'], string>> = {
  forked: 'with the conversation so far',
  transcript: 'with what the terminal shows so far, as a file',
  fresh: 'fresh',
}

function describe(context: CliContext, forked: Forked): string[] {
  const palette = context.palette()
  const captured =
    'captured' in forked
      ? forked.captured
        ? '; it does what was captured'
        : '; it waits for what you send it'
      : ''
  return [
    `${palette.good('✓')} Forked ${palette.bold(printableLine(forked.name))} ${palette.dim(printableLine(forked.agent_id))}, ${CONTEXTS[forked.context]}${captured}`,
    ...forked.warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
  ]
}
