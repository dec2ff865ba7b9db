import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FakeGithub, FakeGithubOptions } from '../../fixtures/github/fake.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { startExomonad, type Exomonad, type ExomonadOptions } from '../daemon.ts'

/**
 * Test helper: the real daemon (helpers/daemon.ts) on a fake GitHub, whose repository is its
 * `origin`. The token is in a file that the configuration names; git is let in by the daemon’s own
 * helper.
 */
export interface GithubTree {
  readonly tree: Exomonad
  readonly github: FakeGithub
  /** Tip of a branch on GitHub; empty where it is not there. */
  tip(branch: string): Promise<string>
  /** Ends the tree, then GitHub. */
  stop(): Promise<void>
}

export interface GithubTreeOptions extends Omit<ExomonadOptions, 'config' | 'init'> {
  readonly github?: FakeGithubOptions
  /**
   * Lines of [forge.github] that say who speaks for the tree; files that they name lie in the home
   * folder. Default: a token of `robot` in a file.
   */
  readonly credential?: (github: FakeGithub) => {
    readonly config: string
    readonly files: Readonly<Record<string, string>>
  }
  /** Further TOML: of [forge.github] first, then whole tables. */
  readonly githubConfig?: string
  readonly config?: string
}

const robotToken: NonNullable<GithubTreeOptions['credential']> = ({ token }) => ({
  config: 'token_file = "~/github-token"',
  files: { 'github-token': `${token}\n` },
})

export async function startGithubTree({
  github: fakeOptions,
  githubConfig = '',
  config = '',
  credential = robotToken,
  ...options
}: GithubTreeOptions = {}): Promise<GithubTree> {
  const github = await startFakeGithub(fakeOptions)
  let tree: Exomonad | undefined
  const { config: credentialConfig, files } = credential(github)
  const stop = async (): Promise<void> => {
    await tree?.stop()
    await github.close()
  }
  try {
    tree = await startExomonad({
      ...options,
      init: false,
      config: `[forge]
kind = "github"
poll_active = 1
poll_idle = 2
[forge.github]
api_url = "${github.apiUrl}"
graphql_url = "${github.graphqlUrl}"
${credentialConfig}
${githubConfig}
${config}`,
    })
    const { repository } = tree
    for (const [name, text] of Object.entries(files))
      writeFileSync(join(repository.home, name), text, { mode: 0o600 })
    await repository.git('remote', 'add', 'origin', github.cloneUrl)
    const main = await repository.git('rev-parse', 'HEAD')
    await repository.git(
      'push',
      '-q',
      github.bare,
      `${main}:refs/heads/${github.state.repository.defaultBranch}`,
    )
    await github.push(github.state.repository.defaultBranch, main)
    const result = await tree.command(['init'])
    if (result.code !== 0)
      throw new Error(
        `exomonad init ended with ${String(result.code)}: ${result.stdout}${result.stderr}`,
      )
    return {
      tree,
      github,
      tip: async (branch) =>
        (await repository.git('ls-remote', github.bare, `refs/heads/${branch}`)).split('\t')[0] ??
        '',
      stop,
    }
  } catch (thrown) {
    await stop()
    throw thrown
  }
}
