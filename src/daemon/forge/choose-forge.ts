import { exec } from '../../processes/exec.ts'
import type { Forge } from '../../adapters/forge/forge.ts'
import type { GiteaRepository } from '../../adapters/forge/gitea/options.ts'
import { createLocalForge } from '../../adapters/forge/local/forge.ts'
import { ensureLocalRemote } from '../../adapters/forge/local/remote.ts'
import type { Git } from '../../adapters/git/git.ts'
import type { Store } from '../../adapters/store/store.ts'
import { gitEnvironment, type Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import type { Settings } from '../../core/deps.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { Log } from '../../runtime/log.ts'
import { createReportLack } from '../../core/pulls/lacks.ts'
import type { Publisher } from '../../events/publish.ts'
import type { Paths } from '../../runtime/paths.ts'
import type { TextGate } from '../../sanitize/text-gate.ts'
import { readVersion } from '../../runtime/version.ts'
import { checkOptions } from './check-options.ts'
import { findGitea } from './find-gitea.ts'
import { findGithub } from './find-github.ts'
import { createGitCredential } from './git-credential.ts'
import type { HoldCheck } from '../limits/hold-checks.ts'
import type { KnownTokens } from '../known-tokens.ts'

export interface ChosenForge {
  readonly forge: Forge
  /** Settles what a crash cut off, once everything else stands. */
  resume(): Promise<void>
}

/** What git is given beside its own environment. Reported before the forge is used. */
export interface RemoteAccess {
  push: () => Promise<Readonly<Record<string, string>>>
  remote: (name: string) => Promise<Readonly<Record<string, string>>>
}

export interface ChooseForgeOptions {
  readonly git: Git
  readonly store: Store
  readonly environment: Environment
  readonly paths: Paths
  readonly config: () => Config
  readonly requireTrust: Settings['requireTrust']
  /** Of checks. */
  readonly agentEnvironment: () => Promise<Record<string, string>>
  readonly holdCheck: HoldCheck
  /** Filled in. */
  readonly access: RemoteAccess
  readonly tokens: KnownTokens
  readonly gate: TextGate
  readonly clock: () => number
  readonly log: Log
  readonly publisher: Publisher
}

/**
 * The forge that the configuration names. One that can’t be reached, or refuses the token, is
 * chosen all the same: agents go on, and what needs it fails until it is back. CONFIG_INVALID where
 * no remote is the one that is meant.
 */
export const chooseForge = (options: ChooseForgeOptions): Promise<ChosenForge> =>
  ({ local: chooseLocal, github: chooseGithub, gitea: chooseGitea })[options.config().forge.kind](
    options,
  )

async function chooseLocal({
  git,
  store,
  environment,
  paths,
  config,
  requireTrust,
  agentEnvironment,
  holdCheck,
  access,
  gate,
  clock,
  log,
}: ChooseForgeOptions): Promise<ChosenForge> {
  const { remote, pushEnvironment } = await ensureLocalRemote({
    git,
    paths,
    configuredRemote: config().forge.local.remote,
  })
  access.push = pushEnvironment
  const forge = createLocalForge({
    repository: paths.home,
    git,
    store,
    remote,
    ...(await checkOptions({
      config,
      agentEnvironment,
      paths,
      environment,
      requireTrust,
      holdCheck,
    })),
    paths,
    gate,
    clock,
    log,
  })
  return { forge, resume: () => forge.resumeChecks() }
}

async function chooseGithub({
  git,
  store,
  environment,
  paths,
  config,
  requireTrust,
  access,
  tokens,
  gate,
  publisher,
  clock,
  log,
}: ChooseForgeOptions): Promise<ChosenForge> {
  const found = await findGithub({
    git,
    exec,
    environment,
    config: config(),
    home: paths.home,
    clock,
  })
  if (found.kind === 'none') {
    // What is not trusted names no host, and that is the reason to give then.
    await requireTrust()
    throw new ExomonadError(
      'CONFIG_INVALID',
      `forge.kind is "github", but ${found.reason}. ${found.fix}; or set forge.kind = "local" for pull requests on this machine.`,
      { key: 'forge.kind', found: 'github' },
    )
  }
  const { repository, remote } = found
  const token = tokens.reading(() => found.token.read())
  // Known from the start, so that not even a line about its first use holds it. An app’s is asked
  // of GitHub, which may be away: nobody waits.
  const first = token().catch((thrown: unknown) =>
    log.warn({ err: thrown }, 'there is no token for GitHub'),
  )
  if (found.token.app === undefined) await first
  access.remote = credentialOf({ git, environment, remote, host: repository.host, token })
  // Only here: Octokit takes its time to load.
  const { createGithubForge } = await import('../../adapters/forge/github/forge.ts')
  const forge = createGithubForge({
    repository,
    remote,
    git,
    store,
    token,
    ...(found.token.app === undefined ? {} : { app: found.token.app }),
    settings: () => {
      const { github } = config().forge
      return {
        trustedBots: github.trusted_bots,
        copilotReview: github.copilot_review,
        reserve: github.reserve,
        checksExpectedWithin: github.checks_expected_within,
      }
    },
    gate,
    clock,
    log,
    reportLack: createReportLack(
      { publisher, store, log },
      { forge: 'github', repository: nameOf(repository) },
    ),
    userAgent: `exomonad/${readVersion()}`,
  })
  log.info(
    {
      host: repository.host,
      repository: `${repository.owner}/${repository.name}`,
      remote,
      letIn: found.token.source,
    },
    'pull requests are on GitHub',
  )
  return { forge, resume: async () => {} }
}

/** Its own name on that host, by which it is known whatever remote it has. */
const nameOf = ({ host, owner, name }: Pick<GiteaRepository, 'host' | 'owner' | 'name'>): string =>
  `${host}/${owner}/${name}`

/** What git is given for a remote of a forge that lets in by token. */
const credentialOf = ({
  environment,
  ...rest
}: Pick<ChooseForgeOptions, 'git' | 'environment'> &
  Pick<Parameters<typeof createGitCredential>[0], 'remote' | 'host' | 'token'>) =>
  createGitCredential({ ...rest, exec, environment: gitEnvironment(environment) })

async function chooseGitea({
  git,
  store,
  environment,
  paths,
  config,
  requireTrust,
  access,
  tokens,
  gate,
  publisher,
  clock,
  log,
}: ChooseForgeOptions): Promise<ChosenForge> {
  const found = await findGitea({ git, environment, config: config(), home: paths.home })
  if (found.kind === 'none') {
    // What is not trusted names no server, and that is the reason to give then.
    await requireTrust()
    throw new ExomonadError(
      'CONFIG_INVALID',
      `forge.kind is "gitea", but ${found.reason}. ${found.fix}; or set forge.kind = "local" for pull requests on this machine.`,
      { key: 'forge.kind', found: 'gitea' },
    )
  }
  const { repository, remote } = found
  const token = tokens.reading(() => found.token.read())
  await token().catch((thrown: unknown) => log.warn({ err: thrown }, 'there is no token for Gitea'))
  access.remote = credentialOf({ git, environment, remote, host: repository.host, token })
  const { createGiteaForge } = await import('../../adapters/forge/gitea/forge.ts')
  const forge = createGiteaForge({
    repository,
    remote,
    git,
    store,
    token,
    gate,
    clock,
    log,
    reportLack: createReportLack(
      { publisher, store, log },
      { forge: 'gitea', repository: nameOf(repository) },
    ),
    userAgent: `exomonad/${readVersion()}`,
  })
  log.info(
    {
      host: repository.host,
      repository: `${repository.owner}/${repository.name}`,
      remote,
      letIn: found.token.source,
    },
    'pull requests are on Gitea',
  )
  return { forge, resume: async () => {} }
}
