import { ExomonadError } from '../../domain/errors.ts'

/** What an agent is started with; secrets may be in `env` and `argv`. */
export interface Launch {
  readonly env: Readonly<Record<string, string>>
  readonly argv: readonly string[]
  /** Variables that the agent must not have, whoever set them. */
  readonly unset: readonly string[]
}

const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]*$/

/**
 * Inside single quotes a shell takes everything as it is, line ends too; the quote itself is the
 * exception.
 */
function quote(text: string): string {
  if (text.includes('\0'))
    throw new ExomonadError(
      'INVALID_ARG',
      'An argument or variable of an agent holds a NUL character. Remove it and try again.',
    )
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}

function variable(name: string): string {
  if (VARIABLE.test(name)) return name
  throw new ExomonadError(
    'INVALID_ARG',
    `"${name}" can't be the name of an environment variable. Use letters, digits and _.`,
    { found: name },
  )
}

/**
 * The text of a launch file for hooks/launch.sh, in POSIX shell: a line per variable, then `set --`
 * with the arguments. Write it with mode 0600. Throws INVALID_ARG for names and values that no
 * environment can hold, and for an empty argv.
 */
export function launchFile({ env, argv, unset }: Launch): string {
  if (argv.length === 0)
    throw new ExomonadError(
      'INVALID_ARG',
      'An agent needs a program to run. Set [agents.NAME] command.',
    )
  const removed = unset.map((name) => `unset ${variable(name)}`)
  const assigned = Object.entries(env).map(
    ([name, value]) => `export ${variable(name)}=${quote(value)}`,
  )
  return [...removed, ...assigned, `set -- ${argv.map(quote).join(' ')}`, ''].join('\n')
}
