import process from 'node:process'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import { runOnTerminal } from '../../../processes/exec.ts'
import { WAYS, type Ways } from './ways.ts'

/** Of the terminal and of whoever ends an agent: they reach the program itself, in the same group. */
const NOT_OURS = [
  'SIGINT',
  'SIGQUIT',
  'SIGTERM',
  'SIGHUP',
  'SIGTSTP',
  'SIGUSR1',
  'SIGUSR2',
] as const

/**
 * Opens the ways, then runs a program in this process’s place as far as its terminal goes, and
 * returns its exit code. `keep`: what it runs is the next of us and is told the ways.
 */
export async function standBetween(
  argv: readonly string[],
  {
    variables,
    open,
    keep,
  }: {
    readonly variables: Readonly<Record<string, string>>
    readonly open: (ways: Ways) => Promise<void>
    readonly keep: boolean
  },
): Promise<number> {
  const { [WAYS]: text = '{}', ...others } = variables
  const ways = parseJson(text) as Ways
  for (const signal of NOT_OURS) process.on(signal, () => undefined)
  process.chdir(ways.folder)
  await open(ways)
  const env = keep ? variables : others
  return (await runOnTerminal(argv, { cwd: ways.cwd, env })) ?? 1
}
