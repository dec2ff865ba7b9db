import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import process from 'node:process'
import type { ExecOptions } from '../exec.ts'

/** More than the shell is given at once. Characters. */
const LONGEST_COMMAND = 60_000

/** In the shell's words. */
export interface Command {
  readonly cwd: string
  readonly variables: string
  readonly text: string
}

/** Undefined for what the shell can't do, or not in the same way. */
export function commandFor(
  file: string,
  args: readonly string[],
  { cwd = process.cwd(), env = {}, group, maxBuffer, signal, background }: ExecOptions,
): Command | undefined {
  if (group === true || maxBuffer !== undefined || signal?.aborted === true) return undefined
  const program = findProgram(file, env['PATH'])
  const names = Object.keys(env)
  if (program === undefined || !names.every(isPlain)) return undefined
  const nice = background === true ? findProgram('nice', env['PATH']) : undefined
  const yielding = nice === undefined ? [] : [nice, '-n', '19']
  const text = `exec ${[...yielding, program, ...args].map(quote).join(' ')}`
  const exported = names.map((name) => ` ${name}=${quote(env[name] ?? '')}`).join('')
  // The shell exports some of its own.
  const variables = `unset PWD OLDPWD SHLVL${names.length > 0 ? `; export${exported}` : ''}`
  const length = cwd.length + variables.length + text.length
  if (length > LONGEST_COMMAND || `${cwd}${variables}${text}`.includes('\0')) return undefined
  return { cwd, variables, text }
}

/** Not one that shells use or guard themselves. */
const isPlain = (name: string): boolean =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) && !/^(BASH.*|SHELLOPTS|PPID|E?UID|IFS|_)$/.test(name)

export const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

function findProgram(file: string, path = ''): string | undefined {
  const candidates = isAbsolute(file)
    ? [file]
    : file.includes('/')
      ? []
      : path
          .split(delimiter)
          .filter(isAbsolute)
          .map((folder) => join(folder, file))
  return candidates.find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
