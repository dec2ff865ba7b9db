import type { Exec } from '../../processes/exec.ts'
import type { GithubRepository } from '../../adapters/forge/github/repository.ts'
import {
  isAnotherForge,
  ownHost,
  repositoryAt,
} from '../../adapters/forge/github/setup/api-host.ts'
import {
  isLoopback,
  isSameHost,
  parseRemoteUrl,
  parseRepositoryName,
  type RemoteAddress,
} from '../../adapters/forge/remote-url.ts'
import { createAppToken } from '../../adapters/forge/github/setup/app-token.ts'
import { secretFilePath } from '../../adapters/forge/secret-file.ts'
import { resolveSshAlias } from '../../adapters/forge/github/setup/ssh-alias.ts'
import { findToken, type GithubToken } from '../../adapters/forge/github/setup/token.ts'
import type { Git } from '../../adapters/git/git.ts'
import {
  ghEnvironment,
  githubVariables,
  gitEnvironment,
  type Environment,
} from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { readVersion } from '../../runtime/version.ts'

export type GithubFound =
  | {
      readonly kind: 'found'
      readonly repository: GithubRepository
      /** Git remote that holds the branches. */
      readonly remote: string
      /** How git reaches it; null where that is a folder. */
      readonly transport: RemoteAddress['transport'] | null
      readonly token: GithubToken
      /**
       * On none of GitHub’s own hosts: that it is GitHub is what the configuration or a token says.
       */
      readonly enterprise: boolean
    }
  /** Sentences without a full stop. */
  | { readonly kind: 'none'; readonly reason: string; readonly fix: string }

export interface FindGithubOptions {
  readonly git: Pick<Git, 'remotes'>
  readonly exec: Exec
  readonly environment: Environment
  /** Trusted: it says where a token is sent. */
  readonly config: Pick<Config, 'forge'>
  /** Worktree that holds `.exomonad/`. */
  readonly home: string
  readonly clock?: () => number
}

type Settings = Config['forge']['github']
interface Located {
  readonly repository: GithubRepository
  readonly transport: RemoteAddress['transport'] | null
  /** The remote’s own URL says so, and not only the configuration. */
  readonly sure: boolean
}

/**
 * The repository on GitHub behind a remote, and the token for it: `origin` where that is on GitHub,
 * else the only remote that is. Nothing is sent anywhere: what answers at an address can’t prove
 * whose token it may see.
 */
export async function findGithub(options: FindGithubOptions): Promise<GithubFound> {
  const settings = withPlainHost(options.config.forge.github)
  const remotes = await options.git.remotes()
  const chosen = await chooseRemote(options, settings, remotes)
  if (chosen.kind === 'none') return chosen
  const { repository, transport } = withUrls(chosen.located, settings)
  const token = await tokenFor(options, settings, repository)
  return {
    kind: 'found',
    repository,
    remote: chosen.remote,
    transport,
    token,
    enterprise: ownHost(repository.host) === null,
  }
}

/** The app’s that is configured, else one of those that people have. */
function tokenFor(
  { environment, exec, home, clock = Date.now }: FindGithubOptions,
  settings: Settings,
  repository: GithubRepository,
): Promise<GithubToken> {
  const {
    app_id: id,
    app_key_file: keyFile,
    app_installation_id: installation = null,
    token_file: file,
  } = settings
  const pathOf = (written: string): string =>
    secretFilePath(written, { home, userHome: environment.home })
  if (id !== undefined && keyFile !== undefined) {
    return createAppToken({
      repository,
      app: { id, keyFile: pathOf(keyFile), installation },
      clock,
      userAgent: `exomonad/${readVersion()}`,
    })
  }
  return findToken({
    host: repository.host,
    file: file === undefined ? null : pathOf(file),
    variables: githubVariables(environment),
    exec,
    ghEnvironment: ghEnvironment(environment),
    clock,
  })
}

/** As URLs have it. */
const withPlainHost = ({ host, ...settings }: Settings): Settings =>
  host === undefined
    ? settings
    : { ...settings, host: ownHost(host.toLowerCase()) ?? host.toLowerCase() }

type None = Extract<GithubFound, { kind: 'none' }>
const none = (reason: string, fix: string): None => ({ kind: 'none', reason, fix })

async function chooseRemote(
  options: FindGithubOptions,
  settings: Settings,
  remotes: ReadonlyMap<string, string>,
): Promise<{ kind: 'chosen'; remote: string; located: Located } | None> {
  if (settings.remote !== undefined) {
    const url = remotes.get(settings.remote)
    if (url === undefined)
      return none(
        `there is no remote ${settings.remote}, which forge.github.remote names`,
        `\`git remote add ${settings.remote} URL\``,
      )
    const located = await locate(options, settings, url)
    return typeof located === 'string'
      ? none(
          `remote ${settings.remote} ${located}`,
          'Set host and repository in [forge.github], where they are on GitHub all the same',
        )
      : { kind: 'chosen', remote: settings.remote, located }
  }
  const reasons: string[] = []
  const possible: { remote: string; located: Located }[] = []
  for (const [remote, url] of [...remotes].sort(
    ([a], [b]) => Number(b === 'origin') - Number(a === 'origin'),
  )) {
    const located = await locate(options, settings, url)
    if (typeof located === 'string') reasons.push(`${remote} ${located}`)
    else possible.push({ remote, located })
  }
  const sure = possible.filter(({ located }) => located.sure)
  const found = sure.length > 0 ? sure : possible
  const [only, another] = found
  if (only === undefined) {
    return none(
      reasons.length === 0 ? 'there is no remote' : `no remote is on GitHub: ${reasons.join('; ')}`,
      '`git remote add origin URL` with the URL of the repository on GitHub; or, where one is on an Enterprise Server, [forge.github] host = "HOST"',
    )
  }
  if (another !== undefined && only.remote !== 'origin') {
    return none(
      `several remotes are on GitHub: ${found.map(({ remote, located: { repository } }) => `${remote} (${repository.owner}/${repository.name})`).join(', ')}`,
      `Name the one for pull requests: [forge.github] remote = "${only.remote}"`,
    )
  }
  return { kind: 'chosen', ...only }
}

/** Where a remote’s repository is; in words why not on GitHub. */
async function locate(
  options: FindGithubOptions,
  settings: Settings,
  url: string,
): Promise<Located | string> {
  const address = parseRemoteUrl(url)
  const named = parseRepositoryName(settings.repository ?? address?.path ?? '')
  if (address === null) {
    // Only where everything is said: a mirror in a folder is no reason to show a token to anybody.
    if (
      settings.remote === undefined ||
      settings.host === undefined ||
      settings.repository === undefined ||
      named === null
    )
      return 'is no address of GitHub'
    return {
      repository: repositoryAt({ host: settings.host, ...named }),
      transport: null,
      sure: false,
    }
  }
  const { transport } = address
  const host = await hostOf(options, settings, address)
  if (host === null)
    return `is on ${address.host}, which ${isAnotherForge(address.host) ? 'is not GitHub' : 'nothing says is an Enterprise Server (GH_HOST or [forge.github] host would)'}`
  if (named === null) return `is on ${host}, but its URL does not end in OWNER/NAME`
  if (transport === 'http' && !isLoopback(address.host))
    return 'uses plain http://, over which a token could be read'
  return {
    repository: repositoryAt({ host, ...named, transport }),
    transport,
    sure: isSameHost(ownHost(address.host) ?? address.host, host),
  }
}

async function hostOf(
  options: FindGithubOptions,
  settings: Settings,
  address: RemoteAddress,
): Promise<string | null> {
  const { environment, exec } = options
  const configured = settings.host ?? null
  // The remote that is named is where the configuration says, whatever its URL says.
  if (configured !== null && settings.remote !== undefined) return configured
  const own = ownHost(address.host)
  if (own !== null) return configured === null || configured === own ? own : null
  if (configured !== null && isSameHost(address.host, configured)) return configured
  const alias =
    address.transport === 'ssh'
      ? await resolveSshAlias(address.host, exec, gitEnvironment(environment))
      : null
  const host = alias ?? address.host
  const aliased = ownHost(host)
  if (aliased !== null) return configured === null || configured === aliased ? aliased : null
  if (isAnotherForge(host) && settings.remote === undefined) return null
  // A name of ssh alone may stand for any host, such as the configured one; an address of HTTP is
  // where it says.
  if (configured !== null) return address.transport === 'ssh' ? configured : null
  if (settings.api_url !== undefined) return host
  for (const name of new Set([address.host, host]))
    if (await isEnterpriseServer(options, name)) return name
  return null
}

/** Said by GH_HOST, or by a login of `gh` at that very host. */
async function isEnterpriseServer(
  { environment, exec }: FindGithubOptions,
  host: string,
): Promise<boolean> {
  if (githubVariables(environment)['GH_HOST']?.toLowerCase() === host) return true
  const kept = await findToken({
    host,
    file: null,
    variables: {},
    exec,
    ghEnvironment: ghEnvironment(environment),
    clock: Date.now,
  })
  return kept.source !== null
}

/** The configured addresses of the API before those that the host has by default. */
function withUrls({ repository, ...rest }: Located, settings: Settings): Located {
  const apiUrl = settings.api_url?.replace(/\/+$/, '') ?? repository.apiUrl
  const beside =
    settings.api_url === undefined
      ? repository.graphqlUrl
      : apiUrl.replace(/\/api\/v3$/, '/api').concat('/graphql')
  return {
    ...rest,
    repository: {
      ...repository,
      apiUrl,
      graphqlUrl: settings.graphql_url?.replace(/\/+$/, '') ?? beside,
    },
  }
}
