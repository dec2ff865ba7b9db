import { readFile, realpath } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { parseJson } from '../../../domain/formats/parse-json.ts'
import type { CliFinding } from '../agent-cli.ts'
import { testedVersion } from '../known.ts'

/** Against the tested one (docs/acp.md). Nothing for a program that is of no package. */
export async function versionFinding(program: string): Promise<readonly CliFinding[]> {
  const found = await packageOf(program)
  if (found === null) return []
  const said = `${found.name} ${found.version}`
  const tested = testedVersion(found.name)
  if (tested === undefined || tested === found.version) return [{ status: 'ok', found: said }]
  return [
    {
      status: 'warning',
      found: `${said}; exomonad was tested with ${tested}`,
      fix: `If its sessions don’t begin, or ask about things that nobody is shown: npm install --global ${found.name}@${tested}`,
    },
  ]
}

/**
 * Name and version of the npm package that a program is of; null where it is of none. Nothing is
 * run.
 */
async function packageOf(program: string): Promise<{ name: string; version: string } | null> {
  let folder = dirname(await realpath(program).catch(() => program))
  for (let up = 0; up < 4; up++, folder = dirname(folder)) {
    const found = await readFile(join(folder, 'package.json'), 'utf8')
      .then(
        (content) => parseJson(content) as { name?: unknown; version?: unknown },
        () => null,
      )
      .catch(() => null)
    if (typeof found?.name === 'string' && typeof found.version === 'string')
      return { name: found.name, version: found.version }
  }
  return null
}
