import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { buildProgram } from '../../../../src/surfaces/cli/program.ts'
import {
  commandsOf,
  everyCommand,
  lineOf,
  parsedBy,
  PARSING,
} from '../../../helpers/command-lines.ts'

/** What stands in a command’s help below its last heading, which is that of the examples. */
function examplesIn(command: Command): { heading: string; lines: string[] } {
  let text = ''
  command.configureOutput({ writeOut: (more) => void (text += more), getOutHelpWidth: () => 200 })
  command.outputHelp()
  const [, heading = '', lines = ''] = /\n(Examples?:)\n((?: {2}.+\n?)+)\n*$/.exec(text) ?? []
  return { heading, lines: lines.split('\n').flatMap((line) => line.trim() || []) }
}

const program = await buildProgram(PARSING)
const commands = everyCommand(program).map(
  (command) => [lineOf(command).join(' '), command] as const,
)

describe('the help of every command', () => {
  it.each(commands)('%s ends with one to three examples', (_, command) => {
    const { heading, lines } = examplesIn(command)
    expect(lines.length).toBeGreaterThanOrEqual(1)
    expect(lines.length).toBeLessThanOrEqual(3)
    expect(heading).toBe(lines.length === 1 ? 'Example:' : 'Examples:')
    expect(new Set(lines).size).toBe(lines.length)
  })

  const examples = commands.flatMap(([name, command]) =>
    examplesIn(command).lines.map((line) => [name, line] as const),
  )
  it.each(examples)(
    '%s: `%s` is that command, with arguments that it takes',
    async (name, line) => {
      const [words = []] = commandsOf(line).filter(([first]) => first === 'exomonad')
      expect(`${await parsedBy(words.slice(1))} `.startsWith(`${name} `)).toBe(true)
    },
  )
})
