import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Forge } from '../../../src/adapters/forge/forge.ts'
import type { BranchName, Sha } from '../../../src/domain/ids.ts'
import { openGithubForge } from './github-forge.ts'

/** A branch by its name. */
export const name = (text: string): BranchName => text as BranchName

/**
 * Test helper: a forge on a fake GitHub, with what tests of writing do to it. Closed when the test
 * ends.
 */
export async function startWriting(options: Parameters<typeof openGithubForge>[0] = {}) {
  const opened = await openGithubForge(options)
  onTestFinished(() => opened.close())
  const { repository, git, remote, forge, github } = opened
  let worktrees = 0

  /** A commit on a branch, pushed. A new branch starts at `at`. */
  const grow = async (
    branch: string,
    files: Readonly<Record<string, string>>,
    at = 'main',
  ): Promise<Sha> => {
    const known = await git.resolve(`refs/heads/${branch}`)
    const path = join(repository.folder, `tree-${++worktrees}`)
    await git.addWorktree({
      path,
      branch: name(branch),
      create: known === null,
      at: (await git.resolve(at))!,
    })
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true })
      writeFileSync(join(path, file), content)
    }
    await repository.gitIn(path, 'add', '-A')
    await repository.gitIn(path, 'commit', '-q', '-m', `Change ${Object.keys(files).join(', ')}`)
    const head = (await repository.gitIn(path, 'rev-parse', 'HEAD')) as Sha
    await git.removeWorktree(path)
    await git.push(remote, { sha: head, branch: name(branch) })
    return head
  }
  const wanted = (
    head: string,
    headSha: Sha,
    change: Partial<Parameters<Forge['file']>[0]> = {},
  ): Parameters<Forge['file']>[0] => ({
    head: name(head),
    headSha,
    base: name('main'),
    title: `Work on ${head}`,
    body: 'Why',
    draft: false,
    agentId: null,
    ...change,
  })
  const file = async (
    head: string,
    headSha: Sha,
    change: Partial<Parameters<Forge['file']>[0]> = {},
  ): Promise<number> => {
    const filed = await forge.file(wanted(head, headSha, change))
    if (filed.kind !== 'filed') throw new Error(filed.kind)
    return filed.number
  }
  const grown = async (
    branch: string,
    files: Readonly<Record<string, string>> = { [`${branch}.txt`]: 'a\nb\nc\n' },
  ) => {
    const head = await grow(branch, files)
    return { head, number: await file(branch, head) }
  }
  const merge = (
    number: number,
    expectedHead: Sha,
    change: Partial<Parameters<Forge['merge']>[0]> = {},
  ) =>
    forge.merge({
      number,
      expectedHead,
      expectedBase: name('main'),
      strategy: 'merge',
      by: 'human',
      prepared: async () => {},
      ...change,
    })
  const asked = (match: RegExp): number =>
    github.calls.filter(({ method, path }) => match.test(`${method} ${path}`)).length
  return { ...opened, grow, wanted, file, grown, merge, asked }
}

/** Calls that create or merge, as the fake GitHub names them. */
export const CREATE = /POST \S*\/pulls$/
export const MERGE = /PUT \S*\/merge$/
