import type { GiteaRepository } from '../../adapters/forge/gitea/options.ts'
import { isSameHost, parseRemoteUrl } from '../../adapters/forge/remote-url.ts'
import { readSecretFile, secretFilePath } from '../../adapters/forge/secret-file.ts'
import type { Git } from '../../adapters/git/git.ts'
import { giteaVariables, type Environment } from '../../config/environment.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'

/** What speaks for you there. The token itself is only in what `read` answers. */
export interface GiteaToken {
  /**
   * Read anew, so that a changed one counts at once. FORGE_DENIED with what to do where there is
   * none.
   */
  read(): Promise<string>
  /** Where it comes from, in words; null where there is none. */
  readonly source: string | null
  readonly file: string | null
}

export type GiteaFound =
  | {
      readonly kind: 'found'
      readonly repository: GiteaRepository
      readonly remote: string
      readonly token: GiteaToken
    }
  /** Sentences without a full stop. */
  | { readonly kind: 'none'; readonly reason: string; readonly fix: string }

export interface FindGiteaOptions {
  readonly git: Pick<Git, 'remotes'>
  readonly environment: Environment
  /** Trusted: it says where a token is sent. */
  readonly config: Pick<Config, 'forge'>
  /** Worktree that holds `.exomonad/`. */
  readonly home: string
}

const none = (reason: string, fix: string): GiteaFound => ({ kind: 'none', reason, fix })

/**
 * The repository on the configured server behind a remote, and the token for it. The address is the
 * configuration’s to say: nothing in a remote’s URL distinguishes Gitea from another server, and
 * asking it would show it the token. Nothing is sent.
 */
export async function findGitea({
  git,
  environment,
  config,
  home,
}: FindGiteaOptions): Promise<GiteaFound> {
  const { url: written, remote: named, repository } = config.forge.gitea
  if (written === undefined)
    return none(
      'nothing says where the server is',
      'Set [forge.gitea] url = "https://git.example.com"',
    )
  const remotes = await git.remotes()
  const remote =
    named ??
    (remotes.has('origin') ? 'origin' : remotes.size === 1 ? [...remotes.keys()][0] : undefined)
  if (remote === undefined) {
    return remotes.size === 0
      ? none(
          'there is no remote',
          '`git remote add origin URL` with the URL of the repository there',
        )
      : none(
          `there are several remotes (${[...remotes.keys()].join(', ')})`,
          'Name the one for pull requests: [forge.gitea] remote = "NAME"',
        )
  }
  const url = remotes.get(remote)
  if (url === undefined)
    return none(
      `there is no remote ${remote}, which forge.gitea.remote names`,
      `\`git remote add ${remote} URL\``,
    )
  const server = new URL(written)
  const base = server.href.replace(/\/+$/, '')
  const where = repository ?? placeOf(url, server)
  const [owner, name, ...more] = where?.split('/') ?? []
  if (owner === undefined || name === undefined || more.length > 0) {
    return none(
      `the URL of remote ${remote} is not that of a repository on ${server.host}`,
      'Set [forge.gitea] repository = "OWNER/NAME"',
    )
  }
  return {
    kind: 'found',
    repository: { host: server.host, owner, name, url: base },
    remote,
    token: await tokenFor({ environment, config, home, host: server.host }),
  }
}

/**
 * `OWNER/NAME` of a remote there; undefined where it leads elsewhere. By ssh the server may have
 * another name: the last two parts count.
 */
function placeOf(url: string, server: URL): string | undefined {
  const address = parseRemoteUrl(url)
  if (address === null) return undefined
  const isHttp = address.transport === 'https' || address.transport === 'http'
  if (isHttp ? address.host !== server.host : !isSameHost(address.host, server.host))
    return undefined
  const under = server.pathname.replaceAll(/^\/+|\/+$/g, '')
  if (isHttp && under !== '')
    return address.path.startsWith(`${under}/`) ? address.path.slice(under.length + 1) : undefined
  return address.path
}

async function tokenFor({
  environment,
  config,
  home,
  host,
}: Omit<FindGiteaOptions, 'git'> & { host: string }): Promise<GiteaToken> {
  const { token_file: written } = config.forge.gitea
  if (written !== undefined) {
    const file = secretFilePath(written, { home, userHome: environment.home })
    const read = (): Promise<string> => readSecretFile(file, 'forge.gitea.token_file')
    const isThere = await read().then(
      () => true,
      () => false,
    )
    return { read, file, source: isThere ? `the file ${file}` : null }
  }
  for (const [variable, value] of Object.entries(giteaVariables(environment))) {
    const token = value.trim()
    if (token !== '')
      return { read: () => Promise.resolve(token), file: null, source: `the variable ${variable}` }
  }
  const reason = `There is no token for ${host}. Make one there (Settings → Applications; scopes write:repository, write:issue, read:user), and set GITEA_TOKEN before the daemon starts, or name a file that holds it in [forge.gitea] token_file.`
  return {
    read: () => Promise.reject(new ExomonadError('FORGE_DENIED', reason, { host })),
    file: null,
    source: null,
  }
}
