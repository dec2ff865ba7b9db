import { reportsNoLack, type ReportLack } from '../lack.ts'
import type { Log } from '../../../runtime/log.ts'
import { createHeldAnswers } from '../network/held-answers.ts'
import type { GiteaClient } from './client.ts'
import type { RawUser } from './pull.ts'

interface RawTeam {
  readonly id: number
  readonly name: string
  readonly permission: string
  /** What it may do with each part of a repository: `repo.code`. */
  readonly units_map: Readonly<Record<string, string>> | null
}

/**
 * Whom of these accounts Gitea lets write to the repository, in lower case. FORGE_UNAVAILABLE where
 * Gitea is away and nothing was known before.
 */
export type Writers = (logins: Iterable<string>) => Promise<ReadonlySet<string>>

const writes = (permission: string | undefined): boolean =>
  permission === 'write' || permission === 'admin' || permission === 'owner'
export const teamWrites = ({ permission, units_map: units }: RawTeam): boolean =>
  writes(permission) || writes(units?.['repo.code'])

/** Teams with rights to the repository; none where no organization owns it. */
export async function readTeams(client: Pick<GiteaClient, 'rest'>): Promise<readonly RawTeam[]> {
  // 405: no organization’s.
  const { status, data } = await client.rest<readonly RawTeam[] | null>(
    'GET /repos/{owner}/{repo}/teams',
    { accept: [405] },
  )
  return status === 200 ? (data ?? []) : []
}

/**
 * Asks for each account, for no single answer of Gitea’s is enough. The permission of an account
 * leaves out what its teams give it, and is for administrators to ask. To whom issues may be
 * assigned anybody may ask: that is who may write, and members of teams that may read pull
 * requests. Where an organization has teams of both kinds, those that write are asked for the
 * account, which is for owners of the organization: for others such a member is one who may not
 * write.
 */
export function createWriters({
  client,
  clock,
  log,
  reportLack = reportsNoLack,
}: {
  client: Pick<GiteaClient, 'rest' | 'pages'>
  clock: () => number
  log: Log
  reportLack?: ReportLack
}): Writers {
  const hold = <Answer>(
    ask: (name: string) => Promise<Answer>,
  ): ((name: string) => Promise<Answer>) => createHeldAnswers({ ask, clock })
  let isSaid = false

  const permission = hold(async (login) => {
    const route = `GET /repos/{owner}/{repo}/collaborators/${encodeURIComponent(login)}/permission`
    // 403: not for this token to ask. 404: nobody has that name, or not any more.
    const { status, data } = await client.rest<{ permission: string }>(route, {
      accept: [403, 404],
    })
    return status === 200 && writes(data.permission)
  })
  const assignable = hold(async () => {
    const users = await client.pages<RawUser>('GET /repos/{owner}/{repo}/assignees')
    return new Set(users.map(({ login }) => login.toLowerCase()))
  })
  const teams = hold(() => readTeams(client))
  const isMember = hold(async (key) => {
    const [team = '', login = ''] = key.split('/')
    const { status } = await client.rest(
      `GET /teams/${team}/members/${encodeURIComponent(login)}`,
      { accept: [403, 404] },
    )
    if (status === 403 && !isSaid) {
      isSaid = true
      log.warn(
        {},
        'who has write access through a team is not for the token to ask: nobody is taken for such a one',
      )
      await reportLack({
        key: 'team-access',
        what: 'Who has write access through a team is not for the token to ask: nobody is taken for such a one',
        why: '',
        fix: 'Their reviews and comments count as a stranger’s. A token that may read the organization’s teams is let in.',
      })
    }
    return status === 200
  })

  const mayWrite = async (login: string): Promise<boolean> => {
    if (!(await assignable('')).has(login)) return false
    if (await permission(login)) return true
    const all = await teams('')
    if (all.every(teamWrites)) return true
    for (const team of all.filter(teamWrites))
      if (await isMember(`${team.id}/${login}`)) return true
    return false
  }

  return async (logins) => {
    const asked = [...new Set([...logins].map((login) => login.toLowerCase()))]
    const answers = await Promise.all(asked.map(mayWrite))
    return new Set(asked.filter((_, index) => answers[index]))
  }
}
