import { printable, printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'
import { resultFacts } from './result-facts.ts'
import { startedLines } from './started-lines.ts'
import { subagentTerminal } from './subagent.ts'

export const result = toolCommand('agent_result', {
  show: (ended, { palette, input }) => {
    const output = printable(ended.output).trimEnd()
    return [...resultFacts(palette, input.agent_id, ended), ...(output === '' ? [] : ['', output])]
  },
})

export const llm = toolCommand('spawn_llm_session', {
  flags: { wait: '-w, --wait  Show what it does until it is done, and print its answer' },
  call: async ({ client, context, input, flags }) => {
    const spawned = await client.call('spawn_llm_session', input)
    if (!flags.wait) return spawned
    const { watchSession } = await import('./watch-session.ts')
    return watchSession(context, client, spawned.agent_id)
  },
  show: ({ agent_id: id }, run) =>
    startedLines(
      run,
      id,
      (name) => `exomonad attach ${name} shows it at work, exomonad result ${name} its answer`,
    ),
})

export const subagent = commandGroup({
  spawn: toolCommand('subagent_spawn', subagentTerminal('subagent_spawn')),
  delegate: toolCommand('subagent_delegate', subagentTerminal('subagent_delegate')),
})

export const stdin = toolCommand('write_stdin', {
  call: async ({ client, input: { agent_id, data } }) => {
    let bytes = 0
    for (const piece of piecesOf(data.replace(/\n$/, '')))
      bytes += (await client.call('write_stdin', { agent_id, data: piece })).written_bytes
    return { written_bytes: bytes }
  },
  show: ({ written_bytes: bytes }, { palette, input }) => [
    `${palette.good('✓')} Wrote ${plural(bytes, 'byte')} to ${printableLine(input.agent_id)}`,
  ],
})

/** Characters of one call: far below what a request may hold. */
const PIECE = 512 * 1024

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
