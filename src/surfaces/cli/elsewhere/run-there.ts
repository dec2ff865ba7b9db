import { UsageError } from '../exit-codes.ts'
import { COMMANDS } from '../commands.ts'
import { commandNamed } from '../program.ts'
import type { Elsewhere } from './elsewhere.ts'
import { notThere } from './failures.ts'

/** As a shell has it where Ctrl-C ended a program. */
const INTERRUPTED = 130

/**
 * Runs a whole command line with the program of the machine that `--host` names, in its folder, and
 * returns its exit code, where the command works on files there; null where it is a client of the
 * daemon, which is one here as well. Help is ours.
 */
export async function runThere(
  { target, run }: Elsewhere,
  argv: readonly string[],
): Promise<number | null> {
  const name = commandNamed(argv)
  const command = COMMANDS.find((entry) => entry.name === name)
  if (argv.some((word) => ['help', '-h', '--help'].includes(word))) return null
  if (command?.elsewhere === 'never')
    throw new UsageError(`--host ${target.name}: \`${command.name}\` is for where it is called.`)
  if (command?.elsewhere !== 'there') return null
  const code = await run(['exomonad', ...argv], target.path)
  notThere(target, code)
  return code ?? INTERRUPTED
}
