import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { readStdin } from '../read-stdin.ts'

/** Characters of one call: far below what a request may hold. */
const PIECE = 512 * 1024

export function define(command: Command, context: CliContext): void {
  command
    .argument('<agent>', 'Id or name of a process that `exomonad run` started')
    .argument('<data...>', 'A line; - passes standard input on')
    .addHelpText('after', '\nEach line ends with a line feed, also the last one.')
    .action(async (agent: string, words: string[]) => {
      const data =
        words.length === 1 && words[0] === '-' ? await readStdin(context) : words.join(' ')
      if (data === '') throw new UsageError('The data is empty.')
      const client = await context.client()
      let bytes = 0
      for (const piece of piecesOf(data.replace(/\n$/, ''))) {
        bytes += (
          await client.call('write_stdin', {
            agent_id: agent,
            data: piece,
          })
        ).written_bytes
      }
      present(context, { written_bytes: bytes }, () => [
        `${context.palette().good('✓')} Wrote ${plural(bytes, 'byte')} to ${printableLine(agent)}`,
      ])
    })
}

/**
 * Whole lines, as many as fit a call; the line feed between two pieces is what the call appends.
 */
export function* piecesOf(data: string, size = PIECE): Generator<string> {
  let rest = data
  while (rest.length > size) {
    const end = rest.lastIndexOf('\n', size)
    const cutAt = end >= 0 ? end : rest.indexOf('\n')
    if (cutAt < 0) break
    yield rest.slice(0, cutAt)
    rest = rest.slice(cutAt + 1)
  }
  yield rest
}
