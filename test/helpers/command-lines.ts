import type { Command } from 'commander'
import type { CliContext } from '../../src/surfaces/cli/context.ts'
import { buildProgram, commandNamed } from '../../src/surfaces/cli/program.ts'

/** Enough of a context to build the program: what commands do is replaced, not run. */
export const PARSING = {
  version: '0',
  environment: { columns: 200 },
  options: () => ({ json: false, as: undefined, cwd: '/', color: null }),
  palette: () => ({ bad: (text: string) => text }),
} as unknown as CliContext

export const everyCommand = (command: Command): Command[] =>
  command.commands.flatMap((below) =>
    below.name() === 'help' || below.name().startsWith('__') ? [] : [below, ...everyCommand(below)],
  )

export const lineOf = (command: Command): string[] =>
  command.parent === null ? [] : [...lineOf(command.parent), command.name()]

/** The words of each command of a line, as a shell has them: up to `|`, `;`, `&&` or a comment. */
export function commandsOf(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [token] of line.matchAll(/(?:[^\s"';|&<>()]|"(?:\\.|[^"])*"|'[^']*')+|[;|&<>()]/g)) {
    if (token.startsWith('#')) break
    if (/^[;|&()]/.test(token)) commands.push([])
    else commands.at(-1)?.push(token.replaceAll(/"((?:\\.|[^"])*)"|'([^']*)'/g, '$1$2'))
  }
  return commands.flatMap((words) => {
    const end = words.findIndex((word) => /^[<>]/.test(word))
    const own = end < 0 ? words : words.slice(0, end)
    return own.length > 0 ? [own] : []
  })
}

/** Which command the words behind `exomonad` are, as `spawn workers`; throws what a person would see. */
export async function parsedBy(words: readonly string[]): Promise<string> {
  // It is taken away before anything is parsed.
  const own = words[0] === '--host' ? words.slice(2) : [...words]
  const whole = await buildProgram(PARSING, commandNamed(own))
  const ran: string[] = []
  for (const command of [whole, ...everyCommand(whole)]) {
    command.configureOutput({ writeErr: () => {}, writeOut: () => {} })
    if (
      command !== whole &&
      (command as unknown as { _actionHandler: unknown })._actionHandler !== null
    )
      command.action(() => void ran.push(lineOf(command).join(' ')))
  }
  await whole.parseAsync(own, { from: 'user' })
  if (ran.length !== 1) throw new Error(`exomonad ${own.join(' ')}: no command`)
  return ran[0] ?? ''
}
