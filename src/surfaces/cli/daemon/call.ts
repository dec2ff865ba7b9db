import type { Command } from 'commander'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { writeJson } from '../output.ts'
import { readStdin } from '../read-stdin.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

export function define(command: Command, context: CliContext): void {
  command
    .argument('<tool>', 'Name of the tool; docs/reference.md lists them')
    .argument('[input]', 'Its input as JSON, or - to read it from standard input', '{}')
    .action(async (tool: string, input: string) => {
      const document = parseInput(input === '-' ? await readStdin(context) : input)
      const client = await context.client()
      writeJson(context.terminal.stdout, await client.callTool(tool, document))
    })
}

function parseInput(text: string): unknown {
  if (text.trim() === '') return {}
  try {
    return parseJson(text)
  } catch (error) {
    throw new UsageError(
      `The input is not JSON: ${(error as Error).message}. Quote it for the shell, as in '{"agent": "auth"}'.`,
    )
  }
}
