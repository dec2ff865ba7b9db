import { z } from 'zod'
import { defineTool } from '../define.ts'

export const writeStdin = defineTool({
  name: 'write_stdin',
  description:
    'Write a line to the standard input of a background task below you, with a newline behind it, as often as it reads. Use it to answer what it asks; where the input is known beforehand put it into the command.',
  audience: ['tl', 'human'],
  listed: true,
  exact: ['data'],
  input: z.object({ agent_id: z.string().min(1).describe('Id or name'), data: z.string() }),
  output: z.object({ written_bytes: z.number().int().describe('With the newline') }),
  command: {
    name: 'stdin',
    summary: 'Write to the standard input of what `run` started',
    fields: {
      agent_id: '<agent>  Id or name of a process that `exomonad run` started',
      data: '<data...>  A line',
    },
    notes: 'Each line ends with a line feed, also the last one.',
    examples: ['exomonad stdin npm-init yes', 'exomonad stdin repl - <script.js'],
  },
  handler: ({ core, caller }, { agent_id: address, data }) =>
    core.sessions.writeStdin(caller, address, data),
})
