import { stat } from 'node:fs/promises'
import type { ForgeBudget, RateLimit } from '../../../adapters/forge/budget.ts'
import type { GithubCheck } from '../../../adapters/forge/github/setup/permissions.ts'
import type { PermissionFinding } from '../../../adapters/forge/github/setup/permission-finding.ts'
import type { ServerFinding } from '../../../adapters/forge/github/setup/server-version.ts'
import type { Config } from '../../../config/schema.ts'
import { checkTrust } from '../../../config/trust.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'
import { diagnoseGitea } from './gitea.ts'
import { secretFile } from './secret-file.ts'
import { readHealth } from '../daemon/health.ts'
import { trustSubject } from '../init/initialize.ts'
import type { LocatedRepository } from '../locate.ts'

/**
 * Where pull requests live: on GitHub the repository, the token and what it may do, what is left of
 * the limits, workflows, and webhooks.
 */
export async function diagnoseForge(
  context: CliContext,
  config: Config | null,
  located: LocatedRepository,
): Promise<Diagnosis[]> {
  if (config === null) return []
  const changed = await notRestarted(config, located)
  if (config.forge.kind === 'local') return changed
  // What a repository brought may name any host: no token goes anywhere before somebody looked at
  // it.
  const trust = await checkTrust(
    trustSubject(located.paths, context.environment, context.host),
  ).catch(() => ({ trusted: false }))
  if (!trust.trusted) return changed
  const { home, commonDir } = located.paths
  try {
    if (config.forge.kind === 'gitea')
      return [...(await diagnoseGitea(context, config, located)), ...changed]
    const found = await context.host.github.find({ commonDir, home, config })
    if (found.kind === 'none')
      return [
        ...changed,
        {
          subject: 'forge',
          status: 'problem',
          found: `GitHub is configured, but ${found.reason}`,
          fix: found.fix,
        },
      ]
    const { repository, remote, token } = found
    const where: Diagnosis = {
      subject: 'forge',
      status: 'ok',
      found: `${repository.owner}/${repository.name} on ${repository.host}, remote ${remote}`,
    }
    const root = await rootBranch(context, located)
    const others = await Promise.all([
      secretFile(context, token.file, token.app === undefined ? 'token file' : 'app key'),
      webhook(context, config, home),
      workflows(context, located, root),
    ])
    const rest = [...changed, ...others.flat()]
    if (token.source === null) {
      const reason = await token.read().then(
        () => '',
        (error: unknown) => asExomonadError(error).message,
      )
      return [where, { subject: 'token', status: 'problem', found: reason }, ...rest]
    }
    return [
      where,
      ...tokenAndRights(token.source, await context.host.github.check(found, config.forge, root)),
      ...rest,
    ]
  } catch (error) {
    return [
      ...changed,
      { subject: 'forge', status: 'problem', found: asExomonadError(error).message },
    ]
  }
}

function tokenAndRights(source: string, check: GithubCheck): Diagnosis[] {
  switch (check.kind) {
    case 'refused':
      return [{ subject: 'token', status: 'problem', found: `${source}: ${check.reason}` }]
    case 'unreachable':
      return [
        {
          subject: 'token',
          status: 'warning',
          found: `${source}; what it may do was not checked: ${check.reason}`,
        },
      ]
    case 'checked':
      return [
        {
          subject: 'token',
          status: 'ok',
          found: `${source}${check.account === null ? '' : `, account ${check.account}`}${check.expiresAt === null ? '' : `, counts until ${new Date(check.expiresAt).toISOString()} and renews itself`}`,
        },
        ...server(check.server),
        ...rights(check.permissions),
        limits(check.budget),
      ]
  }
}

function server(finding: ServerFinding | null): Diagnosis[] {
  if (finding === null) return []
  const { state, found, fix } = finding
  return [{ subject: 'server', status: state, found, ...(fix === null ? {} : { fix }) }]
}

function rights(permissions: readonly PermissionFinding[]): Diagnosis[] {
  const [fine, others] = [
    permissions.filter(({ state }) => state === 'ok'),
    permissions.filter(({ state }) => state !== 'ok'),
  ]
  const ok: Diagnosis = {
    subject: 'rights',
    status: 'ok',
    found: fine.map(({ permission }) => permission).join(', '),
  }
  return [
    ...(fine.length === 0 ? [] : [ok]),
    ...others.map(({ permission, state, needed, why, fix }): Diagnosis => ({
      subject: 'rights',
      status: state === 'unknown' ? 'note' : needed ? 'problem' : 'warning',
      found: `${permission}: ${why}`,
      ...(fix === null ? {} : { fix }),
    })),
  ]
}

function limits({ points, requests }: ForgeBudget): Diagnosis {
  const left = (limit: RateLimit | null, what: string): string[] =>
    limit === null
      ? []
      : [`${limit.remaining.toLocaleString('en')} of ${limit.limit.toLocaleString('en')} ${what}`]
  const found = [...left(points, 'GraphQL points'), ...left(requests, 'REST requests')]
  if (found.length === 0) return { subject: 'limits', status: 'note', found: 'GitHub reports none' }
  const low = [points, requests].some(
    (limit) => limit !== null && limit.remaining < limit.limit / 10,
  )
  const resetAt = Math.min(
    ...[points, requests].flatMap((limit) => (limit === null ? [] : [limit.resetAt])),
  )
  return low
    ? {
        subject: 'limits',
        status: 'warning',
        found: `${found.join(', ')} left until ${new Date(resetAt).toISOString()}`,
        fix: 'exomonad looks less often until then',
      }
    : { subject: 'limits', status: 'ok', found: `${found.join(', ')} left this hour` }
}

async function webhook(
  context: CliContext,
  { forge: { github } }: Config,
  home: string,
): Promise<Diagnosis[]> {
  const { webhook_port: port, webhook_host: host, webhook_secret_file: written } = github
  if (port === undefined || written === undefined) return []
  const file = await context.host.github.secretFile(written, home)
  const there = await stat(file).then(
    (found) => found.size > 0,
    () => false,
  )
  if (!there)
    return [
      {
        subject: 'webhook',
        status: 'problem',
        found: `${file}, the file of its secret, is not there or empty`,
        fix: 'Write the secret into it',
      },
    ]
  return [
    { subject: 'webhook', status: 'ok', found: `taken on ${host}:${port}` },
    ...(await secretFile(context, file, 'webhook')),
  ]
}

async function rootBranch(
  context: CliContext,
  { file }: LocatedRepository,
): Promise<string | null> {
  const facts = await context.host.inspectRepository(file.rootWorktree).catch(() => undefined)
  return facts?.head.kind === 'branch' ? facts.head.branch : null
}

async function workflows(
  context: CliContext,
  { file }: LocatedRepository,
  root: string | null,
): Promise<Diagnosis[]> {
  if (root === null) return []
  const silent = await context.host.github.silentWorkflows(file.rootWorktree, root)
  return silent.map(({ path, line, problem, fix }) => ({
    subject: 'workflows',
    status: 'warning',
    found: `${path}${line === null ? '' : `:${line}`} ${problem}`,
    fix: `${fix}; where none runs, forge.kind = "local" with [forge.local] ci checks each head on this machine`,
  }))
}

/** The daemon keeps the forge it started with. */
async function notRestarted(config: Config, { file }: LocatedRepository): Promise<Diagnosis[]> {
  const now = (await readHealth(file.socket))?.forge
  if (now === undefined || now === config.forge.kind) return []
  const found = `the daemon works with ${now} until it is started again; the configuration says ${config.forge.kind}`
  return [
    {
      subject: 'forge',
      status: 'warning',
      found,
      fix: 'exomonad daemon stop; exomonad daemon start (agents go on meanwhile)',
    },
  ]
}
