import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { LaunchRequest, PlannedFile } from '../agent-cli.ts'

export interface PermissionPlan {
  readonly args: readonly string[]
  readonly files: readonly PlannedFile[]
  readonly warnings: readonly string[]
}

const NOTHING: PermissionPlan = { args: [], files: [], warnings: [] }
const HEADER = '# Written by exomonad for the agent of this worktree.'

/** A line of words, quoted as in a shell, as the list of words. */
function words(command: string): string[] {
  return [...command.matchAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|(\S+)/g)].map(
    ([, double, single, plain]) => double?.replace(/\\(.)/g, '$1') ?? single ?? plain ?? '',
  )
}

/** Codex’s rules of commands (Starlark): the first words of a command line decide. */
const rules = (allow: readonly string[]): string =>
  [
    HEADER,
    ...allow.map(
      (command) => `prefix_rule(pattern = ${JSON.stringify(words(command))}, decision = "allow")`,
    ),
    '',
  ].join('\n')

async function isOurs(file: string): Promise<boolean> {
  try {
    if (!(await lstat(file)).isFile()) return false
    return (await readFile(file, 'utf8')).startsWith(HEADER)
  } catch {
    return true
  }
}

/**
 * What is said to Codex by the role’s policy. For `list` each entry is the beginning of a command
 * line, such as `git commit`: it is run without asking, and outside Codex’s sandbox. Codex reads
 * such rules from files only: one in the worktree, which git is made to ignore by a file beside it.
 */
export async function permissionPlan({
  permissions,
  worktree,
}: LaunchRequest): Promise<PermissionPlan> {
  if (permissions.policy === 'all')
    return { ...NOTHING, args: ['--dangerously-bypass-approvals-and-sandbox'] }
  const allow = permissions.allow.filter((command) => words(command).length > 0)
  if (permissions.policy !== 'list' || allow.length === 0) return NOTHING
  const folder = join(worktree, '.codex', 'rules')
  const file = join(folder, 'exomonad.rules')
  if (!(await isOurs(file)) || !(await isOurs(join(folder, '.gitignore')))) {
    return {
      ...NOTHING,
      warnings: [
        `${folder} holds files of the repository’s own by our names: Codex will ask about what permissions.allow lists.`,
      ],
    }
  }
  return {
    ...NOTHING,
    files: [
      { path: join(folder, '.gitignore'), content: `${HEADER}\n/.gitignore\n/exomonad.rules\n` },
      { path: file, content: rules(allow) },
    ],
  }
}
