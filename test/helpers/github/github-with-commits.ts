import type { FakeGithub, FakeGithubOptions } from '../../fixtures/github/fake.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { tempRepository, type TempRepository } from '../temp-repository.ts'

/**
 * Test helper: a fake GitHub with a first commit on `main`, and a repository to commit in. `close`
 * ends and removes both.
 */
export interface GithubWithCommits {
  readonly github: FakeGithub
  readonly repository: TempRepository
  /**
   * Commits files on a branch, which starts at `from` (default `main`) where it is new, and pushes
   * it there; returns the commit.
   */
  commit(
    branch: string,
    files: Readonly<Record<string, string>>,
    options?: { from?: string; message?: string },
  ): Promise<string>
  /** A branch with one commit, and a pull request of it by `robot`; returns its number. */
  open(
    branch: string,
    options?: { files?: Readonly<Record<string, string>>; base?: string; title?: string },
  ): Promise<number>
  close(): Promise<void>
}

export async function githubWithCommits(
  options: FakeGithubOptions = {},
): Promise<GithubWithCommits> {
  const repository = await tempRepository({ files: { 'README.md': '# Widgets\n' } })
  const github = await startFakeGithub(options)

  const push = async (branch: string): Promise<string> => {
    const sha = await repository.git('rev-parse', branch)
    await repository.git('push', '--quiet', '--force', github.bare, `${sha}:refs/heads/${branch}`)
    await github.push(branch, sha)
    return sha
  }
  await push('main')

  const commit: GithubWithCommits['commit'] = async (
    branch,
    files,
    { from = 'main', message } = {},
  ) => {
    const exists = (await repository.git('branch', '--list', branch)) !== ''
    await repository.git('checkout', '--quiet', ...(exists ? [branch] : ['-b', branch, from]))
    await repository.commit(files, message)
    return push(branch)
  }
  return {
    github,
    repository,
    commit,
    async open(
      branch,
      { files = { [`${branch}.txt`]: `${branch}\n` }, base = 'main', title = `Add ${branch}` } = {},
    ) {
      await commit(branch, files, { from: base, message: title })
      return github.as('robot').open({ head: branch, base, title, body: `What ${branch} is for.` })
    },
    async close() {
      await github.close()
      repository.remove()
    },
  }
}

/** An answer of GraphQL: always status 200 but where GitHub itself fails. */
export interface GraphqlReply {
  readonly status: number
  // What is asked for differs from test to test.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
  readonly errors: readonly {
    readonly type?: string
    readonly path?: readonly (string | number)[]
    readonly message: string
  }[]
}

export async function askGraphql(
  github: FakeGithub,
  query: string,
  variables: Readonly<Record<string, unknown>> = {},
  token: string = github.token,
): Promise<GraphqlReply> {
  const response = await fetch(github.graphqlUrl, {
    method: 'POST',
    headers: { authorization: `bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables }),
  })
  const body = (await response.json()) as Partial<GraphqlReply>
  return { status: response.status, data: body.data, errors: body.errors ?? [] }
}
