import type { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import type { CliContext } from '../../../../src/surfaces/cli/context.ts'
import { buildProgram, commandNamed } from '../../../../src/surfaces/cli/program.ts'

const CONTEXT = {
  version: '0',
  environment: { columns: 200 },
  options: () => ({ json: false, as: undefined, cwd: '/', color: null }),
  palette: () => ({ bad: (text: string) => text }),
} as unknown as CliContext

const everyCommand = (command: Command): Command[] =>
  command.commands.flatMap((below) =>
    below.name() === 'help' || below.name().startsWith('__') ? [] : [below, ...everyCommand(below)],
  )
const lineOf = (command: Command): string[] =>
  command.parent === null ? [] : [...lineOf(command.parent), command.name()]

/** What stands in a command’s help below its last heading, which is that of the examples. */
function examplesIn(command: Command): { heading: string; lines: string[] } {
  let text = ''
  command.configureOutput({ writeOut: (more) => void (text += more), getOutHelpWidth: () => 200 })
  command.outputHelp()
  const [, heading = '', lines = ''] = /\n(Examples?:)\n((?: {2}.+\n?)+)\n*$/.exec(text) ?? []
  return { heading, lines: lines.split('\n').flatMap((line) => line.trim() || []) }
}

/** The words behind `exomonad` as a shell has them, up to what it does with them. */
function wordsOf(line: string): string[] {
  const words: string[] = []
  for (const [token] of line
    .slice(line.indexOf('exomonad ') + 9)
    .matchAll(/(?:[^\s"']|"[^"]*"|'[^']*')+/g)) {
    if (/^[|<>&]/.test(token)) break
    words.push(token.replace(/\)$/, '').replace(/"([^"]*)"|'([^']*)'/g, '$1$2'))
  }
  return words
}

const program = await buildProgram(CONTEXT)
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
      const words = wordsOf(line)
      const whole = await buildProgram(CONTEXT, commandNamed(words))
      whole.configureOutput({ writeErr: () => {} })
      const ran: string[] = []
      for (const command of everyCommand(whole)) {
        command.configureOutput({ writeErr: () => {} })
        if ((command as unknown as { _actionHandler: unknown })._actionHandler !== null)
          command.action(() => void ran.push(lineOf(command).join(' ')))
      }
      await whole.parseAsync(words, { from: 'user' })
      expect(ran).toHaveLength(1)
      expect(`${ran[0]} `.startsWith(`${name} `)).toBe(true)
    },
  )
})
