import { mkdir, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import process from 'node:process'

/** Below the folder of `writeBinShim`: what confined agents have in front of that on their PATH. */
export const CONFINED_BIN = 'confined'

/**
 * Writes `<folder>/exomonad`, a sh script that runs this daemon’s own version with its own Node,
 * whatever else the machine has: agents have the folder in front of their PATH. And the `git` of
 * those that are confined, a script. Where the first’s program is gone it says so, with 127. Each
 * appears whole, also where agents are just running the former one. Returns the path of the first.
 */
export async function writeBinShim(
  folder: string,
  program: { node: string; bin: string; confinedGit: string },
): Promise<string> {
  const confined = join(folder, CONFINED_BIN)
  await writeShim(confined, 'git', ['/bin/sh', program.confinedGit, confined])
  const { node, bin } = program
  return writeShim(folder, 'exomonad', [node, bin], [requireThere(node), requireThere(bin)])
}

/** A Node or an exomonad that was uninstalled, or upgraded to another path, while agents run. */
const requireThere = (path: string): string =>
  `[ -f ${quote(path)} ] || { printf '%s\\n' ${quote(`✗ ${path} is gone: exomonad or its Node was uninstalled or upgraded while this daemon runs. A person restarts it: exomonad daemon stop; exomonad daemon start (agents go on meanwhile)`)} >&2; exit 127; }\n`

async function writeShim(
  folder: string,
  name: string,
  words: readonly string[],
  before: readonly string[] = [],
): Promise<string> {
  const file = join(folder, name)
  const draft = join(folder, `.${name}.${process.pid}`)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeFile(draft, `#!/bin/sh\n${before.join('')}exec ${words.map(quote).join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  await rename(draft, file)
  return file
}

/** A word for sh, whatever it holds. */
const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`
