import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { CliFinding } from '../agent-cli.ts'
import type { AcpProgramOptions } from './options.ts'

export interface Login {
  /** Variables with a key. */
  readonly keys: readonly string[]
  /** Of a login, below the person’s home. */
  readonly files: readonly string[]
  /** What else there may be instead, as it is said; null where it is not there. */
  readonly otherwise?: (variables: Readonly<Record<string, string>>) => string | null
  /** How to get one. */
  readonly fix: string
}

/** By what a program without a terminal signs in. */
export async function findLogin(
  options: AcpProgramOptions,
  { keys, files, otherwise, fix }: Login,
): Promise<readonly CliFinding[]> {
  const variables = { ...options.variables, ...options.config.env }
  const key = keys.find((name) => (variables[name] ?? '') !== '')
  if (key !== undefined) return [{ status: 'ok', found: `signs in by ${key}` }]
  const other = otherwise?.(variables) ?? null
  if (other !== null) return [{ status: 'ok', found: other }]
  for (const file of files) {
    if ((await readFile(join(options.userHome, file)).catch(() => null)) !== null)
      return [{ status: 'ok', found: `signs in by ~/${file}` }]
  }
  return [
    {
      status: 'warning',
      found: 'no login was found: without a terminal it can’t ask for one',
      fix,
    },
  ]
}
