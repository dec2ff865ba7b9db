import { access, constants, realpath } from 'node:fs/promises'
import { delimiter, dirname, isAbsolute, join, sep } from 'node:path'

/**
 * What lies around a program’s file that it needs: the outermost `node_modules` that it is in, else
 * its folder. Empty where it isn’t there.
 */
export async function programFiles(program: string, path: string): Promise<string[]> {
  const candidates = isAbsolute(program)
    ? [program]
    : path.split(delimiter).map((folder) => join(folder, program))
  for (const candidate of candidates) {
    const runs = await access(candidate, constants.X_OK).then(
      () => true,
      () => false,
    )
    if (!runs) continue
    const file = await realpath(candidate)
    const modules = file.indexOf(`${sep}node_modules${sep}`)
    const around = modules === -1 ? dirname(file) : file.slice(0, modules) + `${sep}node_modules`
    return [candidate, around]
  }
  return []
}
