import type { GithubRepository } from '../repository.ts'
import type { PermissionFinding } from './permission-finding.ts'
import type { AppGrant } from './token.ts'

interface Wanted {
  /** As the token’s answer has it, and as the app’s settings do. */
  readonly key: string
  readonly name: string
  readonly level: 'read' | 'write'
  readonly needed: boolean
  /** Complete “allows” and “without it”. */
  readonly can: string
  readonly cannot: string
}

const WANTED: readonly Wanted[] = [
  {
    key: 'pull_requests',
    name: 'Pull requests',
    level: 'write',
    needed: true,
    can: 'filing pull requests',
    cannot: 'none is filed, reviewed or commented on',
  },
  {
    key: 'contents',
    name: 'Contents',
    level: 'write',
    needed: true,
    can: 'merging and pushing',
    cannot: 'nothing is merged, and nothing pushed over https',
  },
  {
    key: 'checks',
    name: 'Checks',
    level: 'read',
    needed: false,
    can: 'reading checks',
    cannot: 'checks are unknown',
  },
  {
    key: 'statuses',
    name: 'Commit statuses',
    level: 'read',
    needed: false,
    can: 'reading statuses',
    cannot: 'checks that are statuses are unknown',
  },
  {
    key: 'actions',
    name: 'Actions',
    level: 'read',
    needed: false,
    can: 'reading the logs of failed jobs',
    cannot: 'failed jobs are reported without the end of their logs',
  },
  {
    key: 'actions',
    name: 'Actions',
    level: 'write',
    needed: false,
    can: 'running failed jobs again',
    cannot: 'failed jobs are not run again from here',
  },
  {
    key: 'workflows',
    name: 'Workflows',
    level: 'write',
    needed: false,
    can: 'pushing workflows',
    cannot: 'a push over https that changes .github/workflows is refused',
  },
]

/** What an app’s installation may, as GitHub says with its token. */
export function permissionsOfApp(
  { installation, permissions }: AppGrant,
  { owner, name }: GithubRepository,
): PermissionFinding[] {
  return WANTED.map(({ key, name: words, level, needed, can, cannot }) => {
    const has = permissions[key]
    const ok = has === 'write' || has === 'admin' || has === level
    return {
      permission: `${words}: ${level}`,
      state: ok ? 'ok' : 'missing',
      needed,
      why: ok
        ? `the app’s installation allows ${can}`
        : `the app’s installation has ${has === undefined ? 'none of it' : `only “${has}”`}: ${cannot}`,
      fix: ok
        ? null
        : `Give the app “${words}: ${level === 'write' ? 'read and write' : 'read-only'}” in its settings, then accept it in those of installation ${installation}, which has ${owner}/${name}`,
    }
  })
}
