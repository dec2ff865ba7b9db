import type { Exec } from '../../processes/exec.ts'
import { credentialEnvironment } from '../../adapters/git/credential.ts'
import { ownHost } from '../../adapters/forge/github/setup/api-host.ts'
import { isSameHost } from '../../adapters/forge/remote-url.ts'
import type { Git } from '../../adapters/git/git.ts'

/** Milliseconds. */
const HELPER_TIMEOUT = 10_000

/**
 * What the daemon’s git is let in with at a remote over HTTP: a helper that the person configured
 * goes first; where none knows a password, the token. Empty for all other remotes, for one whose
 * URL leads to another host than the token is for, and without a token: a public repository can be
 * read without one.
 */
export function createGitCredential({
  git,
  exec,
  environment,
  remote,
  host,
  token,
}: {
  git: Pick<Git, 'commonDir' | 'remotes'>
  exec: Exec
  /** Of the daemon’s git. */
  environment: Readonly<Record<string, string>>
  remote: string
  /** That the token is for. */
  host: string
  token: () => Promise<string>
}): (name: string) => Promise<Record<string, string>> {
  const personsOwn = new Map<string, Promise<boolean>>()
  const knowsPassword = async ({ protocol, host }: URL): Promise<boolean> => {
    const answer = await exec(
      'git',
      ['--no-pager', `--git-dir=${git.commonDir}`, 'credential', 'fill'],
      {
        cwd: git.commonDir,
        env: {
          ...environment,
          GIT_TERMINAL_PROMPT: '0',
          GIT_ASKPASS: '',
          SSH_ASKPASS: '',
          GCM_INTERACTIVE: 'never',
        },
        input: `protocol=${protocol.slice(0, -1)}\nhost=${host}\n\n`,
        timeout: HELPER_TIMEOUT,
      },
    )
    return answer.exitCode === 0 && /^password=./m.test(answer.stdout)
  }
  const personKnows = (url: URL): Promise<boolean> => {
    const known = personsOwn.get(url.origin) ?? knowsPassword(url)
    personsOwn.set(url.origin, known)
    return known
  }

  return async (name) => {
    if (name !== remote) return {}
    const written = (await git.remotes()).get(remote) ?? ''
    const url = /^https?:\/\//.test(written) && URL.canParse(written) ? new URL(written) : null
    if (
      url === null ||
      url.password !== '' ||
      !isSameHost(ownHost(url.host) ?? url.host, host) ||
      (await personKnows(url))
    )
      return {}
    const password = await token().catch(() => null)
    return password === null
      ? {}
      : credentialEnvironment({ origin: url.origin, username: 'x-access-token', password })
  }
}
