import { existsSync } from 'node:fs'
import { access, chmod, constants, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Config } from '../../../config/schema.ts'
import { checkTrust } from '../../../config/trust.ts'
import { ownerTokenFile, userStateFolder } from '../../../config/user-state.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import { diagnoseCommits } from './commits.ts'
import type { Diagnosis } from './diagnosis.ts'
import { diagnoseAgents } from './agents.ts'
import { diagnoseForge } from './forge.ts'
import { readHealth } from '../daemon/health.ts'
import { storeConfig } from '../daemon/store-config.ts'
import { diagnoseLarge } from './large.ts'
import { diagnoseLimits } from './limits.ts'
import { diagnoseNotify } from './notify.ts'
import { diagnoseOwnCopy } from './own-copy.ts'
import { diagnosePush } from './push.ts'
import { diagnoseSandbox } from './sandbox.ts'
import { trustSubject } from '../init/initialize.ts'
import type { LocatedRepository } from '../locate.ts'

const NOTHING: Promise<Diagnosis[]> = Promise.resolve([])

/**
 * What the set-up of one repository needs: configuration, trust, agent programs, permissions, room,
 * remotes, forge.
 */
export async function diagnoseRepository(
  context: CliContext,
  located: LocatedRepository,
): Promise<Diagnosis[]> {
  const [config, diagnosis] = await configuration(context, located)
  const unwritable = await diagnoseWriting(located)
  // What is tried by git fails without them, for another reason than it would name.
  const canTry = unwritable.length === 0 && existsSync(located.file.rootWorktree)
  const groups = await Promise.all([
    Promise.resolve(unwritable),
    trust(context, located),
    templates(context, located),
    diagnoseAgents(context, config, located),
    diagnoseSandbox(context, config, located),
    diagnoseLimits(context, config, located),
    permissions(context, located),
    remotes(context, located),
    diagnoseForge(context, config, located),
    canTry ? diagnoseCommits(context, located) : NOTHING,
    canTry ? diagnosePush(context, config, located) : NOTHING,
    diagnoseOwnCopy(context, located),
    diagnoseLarge(context, config, located),
    diagnoseNotify(context, config, located),
    unwritable.length > 0 ? NOTHING : store(context, located),
    olderZellij(context, located),
  ])
  return [diagnosis, ...groups.flat()]
}

async function configuration(
  context: CliContext,
  { paths }: LocatedRepository,
): Promise<[Config | null, Diagnosis]> {
  try {
    const isThere = (file: string) =>
      stat(file).then(
        () => true,
        () => false,
      )
    if (await isThere(paths.configFile))
      return [
        await context.host.loadConfig(paths.configFile),
        { subject: 'configuration', status: 'ok', found: paths.configFile },
      ]
    const kept = await isThere(paths.keptConfigFile)
    return [
      await context.host.loadConfig(kept ? paths.keptConfigFile : paths.configFile),
      {
        subject: 'configuration',
        status: 'warning',
        found: `${paths.configFile} is not there${kept ? '; the daemon goes on with what it last read' : ''}`,
        fix: kept
          ? 'exomonad init writes it back'
          : 'Write it again; `exomonad init` makes the initial one',
      },
    ]
  } catch (error) {
    const found = asExomonadError(error).message.split('\n').join('; ')
    return [
      null,
      {
        subject: 'configuration',
        status: 'problem',
        found,
        fix: 'Correct it; `exomonad config check` shows every finding',
      },
    ]
  }
}

/** A file system that was mounted again after a fault is read-only, for root too. */
async function diagnoseWriting({ paths }: LocatedRepository): Promise<Diagnosis[]> {
  for (const folder of [paths.commonDir, paths.state, paths.home])
    try {
      await access(folder, constants.W_OK)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      const why = code === 'EROFS' ? 'its file system is read-only' : 'permission is denied'
      return [
        {
          subject: 'writing',
          status: 'problem',
          found: `${folder} can’t be written: ${why}, so nothing can be recorded or committed`,
          fix: 'Make it writable; what is there already is safe',
        },
      ]
    }
  return []
}

/** Versions of before had terminals in Zellij itself. */
async function olderZellij(
  { host }: CliContext,
  { paths }: LocatedRepository,
): Promise<Diagnosis[]> {
  const { session, names } = await host.multiplexers.leftInZellij(paths)
  if (names.length === 0) return []
  const fix = `Look at them with \`zellij attach ${session}\`, end them there, then \`exomonad resume NAME\` for each; \`exomonad down\` ends them all`
  return [
    {
      subject: 'zellij',
      status: 'warning',
      found: `programs in the session of an older version, out of reach: ${names.join(', ')}`,
      fix,
    },
  ]
}

/** One that does not work is passed over for the shipped one, which nobody would notice. */
async function templates(context: CliContext, { paths }: LocatedRepository): Promise<Diagnosis[]> {
  const findings = await context.host.checkTemplates(paths.templates)
  return findings.map(({ key, line, problem }) => ({
    subject: 'templates',
    status: 'problem',
    found: `.exomonad/${key}${line === null ? '' : `:${line}`}: ${problem}`,
    fix: 'Correct it, or remove it: the shipped one serves without',
  }))
}

async function trust(context: CliContext, { paths }: LocatedRepository): Promise<Diagnosis[]> {
  try {
    const answer = await checkTrust(trustSubject(paths, context.environment, context.host))
    if (answer.trusted)
      return [{ subject: 'trust', status: 'ok', found: 'what git tracks in .exomonad/ is trusted' }]
    return [
      {
        subject: 'trust',
        status: 'problem',
        found: `not trusted, so nothing runs: ${answer.changed.join(', ')}`,
        fix: 'Read it, then run `exomonad trust`',
      },
    ]
  } catch (error) {
    return [{ subject: 'trust', status: 'problem', found: asExomonadError(error).message }]
  }
}

/** Nobody else may read tokens, records or the socket. */
async function permissions(
  context: CliContext,
  { paths, file }: LocatedRepository,
): Promise<Diagnosis[]> {
  const token = ownerTokenFile(context.environment, paths.commonDir)
  const wanted: readonly (readonly [path: string, mode: number])[] = [
    [paths.state, 0o700],
    [dirname(file.socket), 0o700],
    [file.socket, 0o600],
    [userStateFolder(context.environment), 0o700],
    [token, 0o600],
  ]
  const findings: Diagnosis[] = []
  for (const [path, mode] of wanted) {
    const found = await stat(path).catch(() => undefined)
    if (found === undefined || (found.mode & 0o077) === 0) continue
    const octal = (bits: number): string => (bits & 0o777).toString(8)
    findings.push({
      subject: 'permissions',
      status: 'problem',
      found: `others may use ${path} (mode ${octal(found.mode)})`,
      fix: `chmod ${octal(mode)} ${path}`,
      repair: async () => {
        await chmod(path, mode)
        return `${path} is ${octal(mode)} now`
      },
    })
  }
  if ((await stat(token).catch(() => undefined)) === undefined) {
    findings.push({
      subject: 'owner token',
      status: 'problem',
      found: `it is not in ${userStateFolder(context.environment)}`,
      fix: 'Set XDG_STATE_HOME as it was at `exomonad init`; where the token is lost, run `exomonad init` again, then `exomonad daemon stop`',
    })
  }
  return findings.length > 0
    ? findings
    : [{ subject: 'permissions', status: 'ok', found: 'state, socket and token are yours alone' }]
}

async function remotes(context: CliContext, { paths }: LocatedRepository): Promise<Diagnosis[]> {
  try {
    const all = await (await context.host.git(paths.commonDir)).remotes()
    const local = [...all].filter(([, url]) => url === paths.origin)
    return Promise.all(
      local.map(async ([name, url]): Promise<Diagnosis> => {
        const there = await stat(join(url, 'HEAD'))
          .then(() => true)
          .catch(() => false)
        return there
          ? { subject: 'local forge', status: 'ok', found: `remote ${name} in ${url}` }
          : {
              subject: 'local forge',
              status: 'problem',
              found: `remote ${name} points to ${url}, which is gone`,
              fix: 'Start the daemon: it makes a new one from your branches',
            }
      }),
    )
  } catch (error) {
    return [{ subject: 'local forge', status: 'problem', found: asExomonadError(error).message }]
  }
}

const LARGE_STORE = 500e6

async function store(
  context: CliContext,
  { paths, file }: LocatedRepository,
): Promise<Diagnosis[]> {
  const configured = await storeConfig(context, paths)
  if (configured.kind === 'postgres') return postgresStore(context, paths, configured)
  if ((await readHealth(file.socket)) === null) {
    const health = await context.host.store.inspect(paths, configured)
    if (health.kind !== 'sound') {
      const found = {
        missing: 'it is not there',
        empty: 'there is nothing in it',
        damaged: `it is damaged: ${health.kind === 'damaged' ? health.reason : ''}`,
      }[health.kind]
      const [newest] = await context.host.store.backups(paths)
      const fix =
        newest === undefined
          ? '`exomonad down --force` ends what runs and begins anew; work stays'
          : '`exomonad store restore` brings the last backup back'
      return [{ subject: 'store', status: 'problem', found, fix }]
    }
  }
  const sizes = await Promise.all(
    [paths.database, `${paths.database}-wal`].map((path) =>
      stat(path).then(
        (found) => found.size,
        () => 0,
      ),
    ),
  )
  const size = sizes.reduce((sum, one) => sum + one, 0)
  const found = `${(size / 1e6).toFixed(1)} MB`
  if (size > LARGE_STORE)
    return [{ subject: 'store', status: 'warning', found, fix: 'Lower [retention] events_days' }]
  return [{ subject: 'store', status: 'ok', found }]
}

async function postgresStore(
  context: CliContext,
  paths: LocatedRepository['paths'],
  configured: Config['store'],
): Promise<Diagnosis[]> {
  const checks = await context.host.store.postgres.check(paths, configured)
  const failed = checks.filter(({ ok }) => !ok)
  if (failed.length === 0)
    return [
      {
        subject: 'store',
        status: 'ok',
        found: checks.map(({ what, found }) => `${what}: ${found}`).join('; '),
      },
    ]
  return failed.map(({ what, found }) => ({
    subject: 'store',
    status: 'problem',
    found: `${what}: ${found}`,
    fix: '`exomonad store check` looks at all of it',
  }))
}
