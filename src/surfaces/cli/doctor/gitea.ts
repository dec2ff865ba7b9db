import type { Config } from '../../../config/schema.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'
import { secretFile } from './secret-file.ts'
import type { LocatedRepository } from '../locate.ts'

/** Pull requests on Gitea: the repository, the server, the token and what is missing. */
export async function diagnoseGitea(
  context: CliContext,
  config: Config,
  { paths: { home, commonDir } }: LocatedRepository,
): Promise<Diagnosis[]> {
  const found = await context.host.gitea.find({ commonDir, home, config })
  if (found.kind === 'none')
    return [
      {
        subject: 'forge',
        status: 'problem',
        found: `Gitea is configured, but ${found.reason}`,
        fix: found.fix,
      },
    ]
  const { repository, remote, token } = found
  const where: Diagnosis = {
    subject: 'forge',
    status: 'ok',
    found: `${repository.owner}/${repository.name} on ${repository.host} (Gitea), remote ${remote}`,
  }
  const file = await secretFile(context, token.file, 'token file')
  if (token.source === null) {
    const reason = await token.read().then(
      () => '',
      (error: unknown) => asExomonadError(error).message,
    )
    return [where, { subject: 'token', status: 'problem', found: reason }, ...file]
  }
  const check = await context.host.gitea.check(found)
  if (check.kind === 'refused')
    return [
      where,
      { subject: 'token', status: 'problem', found: `${token.source}: ${check.reason}` },
      ...file,
    ]
  if (check.kind === 'unreachable')
    return [
      where,
      {
        subject: 'token',
        status: 'warning',
        found: `${token.source}; not checked: ${check.reason}`,
      },
      ...file,
    ]
  return [
    where,
    { subject: 'token', status: 'ok', found: `${token.source}, account ${check.account}` },
    { subject: 'server', status: 'ok', found: check.version },
    ...check.missing.map(({ what, fix }): Diagnosis => ({
      subject: 'rights',
      status: 'problem',
      found: what,
      fix,
    })),
    ...check.limits.map(({ what, fix }): Diagnosis => ({
      subject: 'rights',
      status: 'warning',
      found: what,
      fix,
    })),
    ...file,
  ]
}
