import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/**
 * Writes `<folder>/exomonad`, a sh script that runs this daemon’s own version with its own Node,
 * whatever else the machine has: agents have the folder in front of their PATH. It appears whole,
 * also where agents are just running the former one. Returns its path.
 */
export async function writeBinShim(
  folder: string,
  program: { node: string; bin: string },
): Promise<string> {
  const file = join(folder, 'exomonad')
  const draft = join(folder, `.exomonad.${process.pid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, `#!/bin/sh\nexec ${quote(program.node)} ${quote(program.bin)} "$@"\n`, {
    mode: 0o755,
  })
  await rename(draft, file)
  return file
}

/** A word for sh, whatever it holds. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
