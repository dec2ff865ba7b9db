import { ExomonadError } from '../../../../domain/errors.ts'
import type { Exec } from '../../../../processes/exec.ts'
import { ownHost } from './api-host.ts'
import { readSecretFile } from '../../secret-file.ts'

/** What speaks for you on GitHub. The token itself is only in what `read` returns. */
export interface GithubToken {
  /**
   * Read anew, so that a renewed one counts at once. FORGE_DENIED with what to do where there is
   * none.
   */
  read(): Promise<string>
  /**
   * Where it comes from, in words, as far as was found when this was made; null where there was
   * none.
   */
  readonly source: string | null
  /** The file it is read from; of an app, the one with its key. */
  readonly file: string | null
  /** Of an app’s installation. */
  readonly app?: GithubApp
}

/** An app whose installation speaks for you: its tokens count for an hour and are renewed. */
export interface GithubApp {
  readonly id: number
  /** What the last token may; null before the first. */
  grant(): AppGrant | null
  /**
   * GitHub refuses this token though it had not run out. Returns whether the next read gets
   * another.
   */
  refused(token: string): boolean
}

export interface AppGrant {
  readonly installation: number
  /** By GitHub’s clock. Milliseconds since the epoch. */
  readonly expiresAt: number
  /** `read` or `write`, by name: `pull_requests`. */
  readonly permissions: Readonly<Record<string, string>>
}

export interface TokenOptions {
  readonly host: string
  /** Absolute path, where one is configured: then it alone counts. */
  readonly file: string | null
  /** Of which only the four that name tokens are read. */
  readonly variables: Readonly<Record<string, string>>
  readonly exec: Exec
  /** Environment of `gh`, without any token: it is asked for the one it keeps. */
  readonly ghEnvironment: Readonly<Record<string, string>>
  readonly clock: () => number
}

/** How long an answer of `gh` counts. Milliseconds. */
const GH_COUNTS = 5000
const GH_TIMEOUT = 10_000

/**
 * The token for a host: of the configured file, else of the environment as `gh` reads it, else the
 * one `gh` is logged in with.
 */
export async function findToken(options: TokenOptions): Promise<GithubToken> {
  const { host, file } = options
  if (file !== null) {
    const read = () => readSecretFile(file, 'forge.github.token_file')
    return { read, file, source: (await isThere(read)) ? `the file ${file}` : null }
  }
  const names = variablesFor(host)
  for (const name of names) {
    const value = options.variables[name]?.trim() ?? ''
    if (value !== '')
      return { read: () => Promise.resolve(value), file: null, source: `the variable ${name}` }
  }
  const gh = createGhToken(options)
  const read = async (): Promise<string> => {
    const token = await gh()
    if (token !== null) return token
    throw new ExomonadError(
      'FORGE_DENIED',
      `There is no token for ${host}. ${howToGetOne(host)}.`,
      { host },
    )
  }
  return {
    read,
    file: null,
    source:
      (await gh()) === null
        ? null
        : `\`gh auth token\`${ownHost(host) === 'github.com' ? '' : ` for ${host}`}`,
  }
}

/** Completes a sentence to a person without a token. */
export const howToGetOne = (host: string): string =>
  `Run \`gh auth login${host === 'github.com' ? '' : ` --hostname ${host}`}\`, set ${variablesFor(host)[0] ?? ''} before the daemon starts, or name a file that holds one in [forge.github] token_file`

/** As `gh` has it: a token for github.com is not shown to any other host. */
const variablesFor = (host: string): readonly string[] =>
  ownHost(host) === null
    ? ['GH_ENTERPRISE_TOKEN', 'GITHUB_ENTERPRISE_TOKEN']
    : ['GH_TOKEN', 'GITHUB_TOKEN']

const isThere = (read: () => Promise<string>): Promise<boolean> =>
  read().then(
    () => true,
    () => false,
  )

/**
 * What `gh` says, asked at most once in a few seconds; null where it is not installed or not logged
 * in.
 */
function createGhToken({
  host,
  exec,
  ghEnvironment,
  clock,
}: TokenOptions): () => Promise<string | null> {
  let last: { readonly at: number; readonly token: Promise<string | null> } | null = null
  const ask = async (): Promise<string | null> => {
    const answer = await exec('gh', ['auth', 'token', '--hostname', host], {
      env: ghEnvironment,
      timeout: GH_TIMEOUT,
    })
    const token = answer.stdout.trim()
    return answer.exitCode === 0 && /^\S+$/.test(token) ? token : null
  }
  return () => {
    const now = clock()
    // A clock that was set back must not make an old answer count for hours.
    if (last === null || now - last.at > GH_COUNTS || now < last.at)
      last = { at: now, token: ask() }
    return last.token
  }
}
