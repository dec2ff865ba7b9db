import type { PermissionFinding } from '../../../adapters/forge/github/setup/permission-finding.ts'
import type { WorkflowFinding } from '../../../adapters/forge/github/setup/workflows.ts'
import type { Config } from '../../../config/schema.ts'
import { checkTrust } from '../../../config/trust.ts'
import { asExomonadError, ExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'
import type { InitialForge } from './config.ts'
import { trustSubject, type Beginning, type SetUp } from './initialize.ts'
import { withProgress } from '../progress.ts'

export const FORGE_CHOICES = ['auto', 'local', 'github'] as const
export type ForgeChoice = (typeof FORGE_CHOICES)[number]

/**
 * Where pull requests live, and what was found of GitHub on the way there. Reasons are sentences
 * without a full stop.
 */
export interface ForgeReport {
  /** As the configuration has it; null where that is not trusted or doesn’t parse. */
  readonly kind: Config['forge']['kind'] | null
  readonly github: {
    readonly host: string
    readonly repository: string
    readonly remote: string
    readonly enterprise: boolean
  } | null
  /** Where the token comes from, never the token. */
  readonly token: string | null
  readonly account: string | null
  /** Why not GitHub, or what keeps it from being used. */
  readonly why: string | null
  readonly fix: string | null
  /** What to change in a configuration that is there already and was left as it is. */
  readonly change: string | null
  readonly missing: readonly PermissionFinding[]
  readonly workflows: readonly WorkflowFinding[]
}

const NOTHING: ForgeReport = {
  kind: 'local',
  github: null,
  token: null,
  account: null,
  why: null,
  fix: null,
  change: null,
  missing: [],
  workflows: [],
}

/**
 * The forge for a configuration about to be written: GitHub where a remote and a token for it are
 * there, GitHub doesn’t refuse them and the token’s account may write, else the local one. Where
 * GitHub can’t be reached, what could be checked is all that is. Where GitHub was asked for:
 * NOT_AVAILABLE without a remote there, FORGE_DENIED without a token it takes.
 */
export async function chooseForge(
  context: CliContext,
  beginning: Beginning,
  defaults: Config,
  wanted: ForgeChoice,
): Promise<ForgeReport> {
  if (wanted === 'local') return NOTHING
  const report = await withProgress(
    context,
    'Looking at GitHub',
    lookAtGithub(context, beginning, defaults, wanted === 'auto'),
  )
  if (report.kind === 'github' || wanted === 'auto') return report
  const message = `Pull requests can’t live on GitHub: ${report.why}.${report.fix === null ? '' : ` ${report.fix}.`}`
  throw new ExomonadError(
    report.github === null ? 'NOT_AVAILABLE' : 'FORGE_DENIED',
    message,
    report.github === null ? {} : { host: report.github.host },
  )
}

export const initialForge = ({ kind, github }: ForgeReport): InitialForge =>
  kind === 'github' && github !== null
    ? { kind, host: github.enterprise ? github.host : null }
    : { kind: 'local' }

/**
 * The same for a configuration that is there: it is left as it is, and only what the person trusts
 * may say where a token goes.
 */
export async function reportForge(
  context: CliContext,
  setUp: SetUp,
  wanted: ForgeChoice,
): Promise<ForgeReport> {
  const { paths, rootWorktree, rootBranch } = setUp
  const config = await context.host.loadConfig(paths.configFile).catch(() => null)
  const trust = await checkTrust(trustSubject(paths, context.environment, context.host))
  if (config === null || !trust.trusted) return { ...NOTHING, kind: null }
  const { kind } = config.forge
  const beginning = { commonDir: paths.commonDir, home: paths.home, rootWorktree, rootBranch }
  if (kind === 'github') {
    if (wanted === 'local')
      return { ...NOTHING, kind, change: howToChange('local', paths.configFile) }
    return {
      ...(await withProgress(
        context,
        'Looking at GitHub',
        lookAtGithub(context, beginning, config),
      )),
      kind,
    }
  }
  if (kind === 'gitea')
    return {
      ...NOTHING,
      kind,
      change: wanted === 'auto' ? null : howToChange(wanted, paths.configFile),
    }
  if (wanted === 'local') return NOTHING
  const found = await context.host.github.find({ ...beginning, config })
  const usable = found.kind === 'found' && found.token.source !== null
  if (wanted === 'auto' && !usable) return NOTHING
  const change = howToChange('github', paths.configFile)
  return usable
    ? { ...NOTHING, github: placeOf(found), token: found.token.source, change }
    : { ...(await lookAtGithub(context, beginning, config)), kind, change }
}

const howToChange = (kind: 'local' | 'github', file: string): string =>
  `${file} was there already and is left as it is. For pull requests ${kind === 'github' ? 'on GitHub' : 'on this machine'} write [forge] kind = "${kind}" there, then \`exomonad daemon stop\` and \`exomonad daemon start\``

type Found = Extract<Awaited<ReturnType<CliContext['host']['github']['find']>>, { kind: 'found' }>

const placeOf = ({
  repository,
  remote,
  enterprise,
}: Found): NonNullable<ForgeReport['github']> => ({
  host: repository.host,
  repository: `${repository.owner}/${repository.name}`,
  remote,
  enterprise,
})

/**
 * `writable`: where nobody with the token’s account may write, such as in a clone of somebody
 * else’s repository, it is not chosen.
 */
async function lookAtGithub(
  context: CliContext,
  beginning: Beginning,
  config: Config,
  writable = false,
): Promise<ForgeReport> {
  const { github } = context.host
  const found = await github.find({ ...beginning, config })
  if (found.kind === 'none') return { ...NOTHING, why: found.reason, fix: found.fix }
  const report = { ...NOTHING, github: placeOf(found), token: found.token.source }
  if (found.token.source === null) {
    const message = await found.token.read().then(
      () => '',
      (error: unknown) => asExomonadError(error).message,
    )
    return { ...report, why: withoutStop(message) }
  }
  const { rootWorktree, rootBranch } = beginning
  const [check, workflows] = await Promise.all([
    github.check(found, config.forge, rootBranch),
    rootBranch === null ? [] : github.silentWorkflows(rootWorktree, rootBranch),
  ])
  switch (check.kind) {
    case 'refused':
      return { ...report, why: withoutStop(check.reason) }
    case 'unreachable':
      return {
        ...report,
        kind: 'github',
        why: `what the token may do was not checked: ${withoutStop(check.reason)}`,
        fix: '`exomonad doctor` checks it',
        workflows,
      }
    case 'checked': {
      if (writable && check.readOnly !== null) {
        const place = `${report.github.repository} on ${report.github.host}`
        return {
          ...report,
          account: check.account,
          why: `${place} can’t be used: ${check.readOnly}`,
        }
      }
      const missing = check.permissions.filter(({ state }) => state === 'missing')
      return { ...report, kind: 'github', account: check.account, missing, workflows }
    }
  }
}

const withoutStop = (text: string): string => text.replace(/\.$/, '')
