import { join } from 'node:path'
import type { Client } from '../../client.ts'
import type { DemoRepository } from './repository.ts'
import type { Workspace } from './workspace.ts'

/**
 * What is wrong with the result; empty where the root's branch has everything and its tests pass.
 */
export async function verifyResult(
  workspace: Workspace,
  repository: DemoRepository,
  client: Client,
): Promise<string[]> {
  const faults: string[] = []
  const branch = await workspace.git('symbolic-ref', '--short', 'HEAD')
  if (branch !== repository.branch)
    faults.push(`the root's worktree is on ${branch} instead of ${repository.branch}`)
  const dirty = await workspace.git('status', '--porcelain', '--', ':!.exomonad')
  if (dirty !== '') faults.push(`the root's worktree has uncommitted changes: ${dirty}`)
  const tests = await workspace.run(process.execPath, [
    join(repository.folder, 'scripts', 'test.js'),
  ])
  if (tests.exitCode !== 0)
    faults.push(`the library's tests fail on ${branch}:\n${tests.stdout.slice(-2000)}`)
  const { pull_requests: pulls } = await client.call('pr_list', { state: 'all' })
  for (const { number, title, state } of pulls)
    if (state !== 'merged') faults.push(`#${number} “${title}” is ${state}`)
  return faults
}
