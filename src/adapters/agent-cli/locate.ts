import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** An executable by name on the PATH, or by path relative to the repository. */
export async function locateProgram(
  program: string,
  options: {
    readonly agent: string
    readonly table?: 'agents' | 'acp'
    readonly path: string
    readonly home: string
  },
): Promise<{ kind: 'found'; path: string } | { kind: 'missing'; reason: string }> {
  const candidates = program.includes('/')
    ? [resolve(options.home, program)]
    : options.path.split(delimiter).map((folder) => join(folder, program))
  for (const candidate of candidates) {
    try {
      await access(candidate, constants.X_OK)
      return { kind: 'found', path: candidate }
    } catch {
      // not this one
    }
  }
  return {
    kind: 'missing',
    reason: `The program of [${options.table ?? 'agents'}.${options.agent}], "${program}", is not ${isAbsolute(program) ? 'there' : 'on the PATH'}. Install it, or correct the command.`,
  }
}
