import { UsageError } from '../exit-codes.ts'
import { COMMANDS } from '../commands.ts'
import { commandNamed } from '../program.ts'
import type { Elsewhere } from './elsewhere.ts'
import { notThere } from './failures.ts'

/** As a shell has it where Ctrl-C ended a program. */
const INTERRUPTED = 130

/**
 * Whether a command line is run by the program of another machine, or by ours: as a client of the
 * daemon there, or for its help.
 */
export function whereItRuns(argv: readonly string[]): 'here' | 'there' | 'never' {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const name = commandNamed(words)
  // `help X` counts as X, wherever `help` stands before it.
  const isHelp = words.indexOf('help') >= 0 && words.indexOf('help') < words.indexOf(name ?? 'help')
  if (name === null || isHelp || words.some((word) => word === '-h' || word === '--help'))
    return 'here'
  return COMMANDS.find((entry) => entry.name === name || entry.alias === name)?.elsewhere ?? 'here'
}

/**
 * Runs a whole command line with the program of the machine that `--host` names, in its folder, and
 * returns its exit code, where the command works on files there; null where it runs here.
 */
export async function runThere(
  { target, run }: Elsewhere,
  argv: readonly string[],
): Promise<number | null> {
  const where = whereItRuns(argv)
  if (where === 'never')
    throw new UsageError(
      `--host ${target.name}: \`${commandNamed(argv)}\` is for where it is called.`,
    )
  if (where === 'here') return null
  const code = await run(['exomonad', ...argv], target.path)
  notThere(target, code)
  return code ?? INTERRUPTED
}
