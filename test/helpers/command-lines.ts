import type { Command } from 'commander'
import type { CliContext } from '../../src/surfaces/cli/context.ts'
import { UsageError } from '../../src/surfaces/cli/exit-codes.ts'
import { buildProgram, commandNamed } from '../../src/surfaces/cli/program.ts'
import { SPECS } from '../../src/surfaces/cli/tool-specs.ts'

/** Enough of a context to build the program: what commands do is replaced, not run. */
export const PARSING = {
  version: '0',
  environment: { columns: 200 },
  options: () => ({ json: false, as: undefined, cwd: '/', color: null }),
  palette: () => ({ bad: (text: string) => text }),
  terminal: { stdout: { write: () => true }, stderr: { write: () => true } },
} as unknown as CliContext

/** What depends on where it is run: a file, a terminal, an agent’s open capture. */
const DEPENDS = /can’t be read|needs a terminal|An agent’s fork/

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
    // `2>/dev/null`
    const last = /^\d$/.test(words[end - 1] ?? '') ? end - 1 : end
    const own = end < 0 ? words : words.slice(0, last)
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
    const own = command as unknown as { _actionHandler: ((args: unknown[]) => unknown) | null }
    const act = own._actionHandler
    if (command === whole || act === null) continue
    const line = lineOf(command).join(' ')
    own._actionHandler = async (args) => {
      ran.push(line)
      // What a tool’s command says before it looks for a daemon, of which there is none here.
      if (SPECS[line] !== undefined)
        await Promise.resolve(act(args)).catch((error: unknown) => {
          if (error instanceof UsageError && !DEPENDS.test(error.message)) throw error
        })
    }
  }
  await whole.parseAsync(own, { from: 'user' })
  if (ran.length !== 1) throw new Error(`exomonad ${own.join(' ')}: no command`)
  return ran[0] ?? ''
}
