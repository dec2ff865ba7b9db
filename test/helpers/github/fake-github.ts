import { onTestFinished } from 'vitest'
import type { FakeGithub, FakeGithubOptions } from '../../fixtures/github/fake.ts'
import type { Answered } from '../../fixtures/github/http/rest.ts'
import { startFakeGithub } from '../../fixtures/github/server.ts'
import { tempRepository, type TempRepository } from '../temp-repository.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Parsed where it is JSON; the text elsewhere. */
  // oxlint-disable-next-line typescript/no-explicit-any -- what an API answers is looked at field by field
  readonly body: any
}

export interface GithubForTest {
  readonly fake: FakeGithub
  /** Its remote `origin` is the fake, with the token of `robot`; `main` is pushed. */
  readonly repository: TempRepository
  /**
   * A request, by `robot` unless `token` names another (null: nobody). `path` begins after the
   * repository: `/pulls/1`; with `//` after the API.
   */
  api(
    method: string,
    path: string,
    body?: unknown,
    options?: { token?: string | null; headers?: Readonly<Record<string, string>> },
  ): Promise<Answer>
  /** Pushes a branch with one commit of these files onto `from`; returns the commit. */
  branch(name: string, files: Readonly<Record<string, string>>, from?: string): Promise<string>
  /** The same, with a pull request by `robot`. */
  pull(
    name: string,
    files: Readonly<Record<string, string>>,
    base?: string,
  ): Promise<{ number: number; sha: string }>
}

/** Test helper: a fake GitHub and a clone, gone when the test is finished. */
export async function githubForTest(
  options: FakeGithubOptions & { answered?: (answer: Answered) => void } = {},
): Promise<GithubForTest> {
  const fake = await startFakeGithub(options)
  onTestFinished(() => fake.close())
  const repository = await tempRepository({
    files: { 'README.md': 'one\ntwo\nthree\nfour\nfive\n' },
  })
  onTestFinished(() => repository.remove())
  await repository.git('remote', 'add', 'origin', withToken(fake.cloneUrl, fake.token))
  await repository.git('push', '-q', 'origin', 'main')

  const api: GithubForTest['api'] = async (
    method,
    path,
    body,
    { token = fake.token, headers = {} } = {},
  ) => {
    const url = path.startsWith('//')
      ? `${fake.apiUrl}${path.slice(1)}`
      : `${fake.apiUrl}/repos/${fake.owner}/${fake.name}${path}`
    const response = await fetch(url, {
      method,
      redirect: 'manual',
      headers: { ...(token === null ? {} : { authorization: `Bearer ${token}` }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const json = response.headers.get('content-type')?.includes('json') === true && text !== ''
    return {
      status: response.status,
      headers: response.headers,
      body: json ? JSON.parse(text) : text,
    }
  }
  const branch: GithubForTest['branch'] = async (name, files, from = 'main') => {
    await repository.git('checkout', '-q', '-B', name, from)
    const sha = await repository.commit(files, `Change ${Object.keys(files).join(', ')}`)
    await repository.git('push', '-q', '--force', 'origin', name)
    return sha
  }
  return {
    fake,
    repository,
    api,
    branch,
    async pull(name, files, base = 'main') {
      const sha = await branch(name, files, base)
      const { status, body } = await api('POST', '/pulls', {
        title: `Change of ${name}`,
        body: 'Why',
        head: name,
        base,
      })
      if (status !== 201) throw new Error(JSON.stringify(body))
      return { number: body.number as number, sha }
    },
  }
}

/** The address of a repository with a token in it, as a test may have it. */
export const withToken = (url: string, token: string): string =>
  url.replace('://', `://x-access-token:${token}@`)
