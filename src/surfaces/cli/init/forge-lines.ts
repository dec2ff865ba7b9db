import type { ForgeReport } from './forge.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'

/** The fact about the forge, in one line. */
export function forgeFact({ kind, github, token, account, why }: ForgeReport): [string, string][] {
  if (kind === null) return []
  if (kind === 'local') return [['forge', printableLine(why === null ? 'local' : `local: ${why}`)]]
  if (github === null) return [['forge', kind]]
  const by =
    account === null
      ? token === null
        ? ''
        : `, token: ${token}`
      : `, as ${account} (token: ${token ?? 'none'})`
  return [
    [
      'forge',
      printableLine(`github: ${github.repository} on ${github.host}, remote ${github.remote}${by}`),
    ],
  ]
}

/** What to see to. */
export function forgeLines(
  { kind, github, why, fix, change, missing, workflows }: ForgeReport,
  palette: Palette,
): string[] {
  const attention = (text: string): string => `${palette.attention('!')} ${printableLine(text)}`
  const withRemedy = (problem: string, remedy: string | null): string =>
    `${problem}${remedy === null ? '' : `. ${remedy}`}`
  return [
    ...(kind === 'github' && why !== null ? [attention(`GitHub: ${withRemedy(why, fix)}`)] : []),
    ...missing.map((permission) =>
      attention(`${permission.permission}: ${withRemedy(permission.why, permission.fix)}`),
    ),
    ...workflows.map(({ path, line, problem, fix: remedy }) =>
      attention(`${path}${line === null ? '' : `:${line}`} ${withRemedy(problem, remedy)}`),
    ),
    ...(workflows.length > 0
      ? [
          '  Where none runs, forge.kind = "local" with [forge.local] ci checks each head on this machine.',
        ]
      : []),
    ...(change === null
      ? []
      : kind === 'local' && github !== null
        ? [
            `${palette.dim('·')} ${printableLine(`${github.repository} on ${github.host} could be used (remote ${github.remote}). ${change}.`)}`,
          ]
        : [attention(`${withRemedy(why ?? '', fix)}${why === null ? '' : '. '}${change}.`)]),
  ]
}
