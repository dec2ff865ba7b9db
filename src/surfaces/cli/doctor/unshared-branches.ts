import type { Paths } from '../../../runtime/paths.ts'
import type { Host } from '../host.ts'

/**
 * Branches of the local forge’s repository whose commits no branch or tag outside of it has. Empty
 * where there is no such repository.
 */
export async function unsharedBranches(host: Pick<Host, 'run'>, paths: Paths): Promise<string[]> {
  const refs = await host.run('git', [
    '--git-dir',
    paths.origin,
    'for-each-ref',
    '--format=%(objectname) %(refname:short)',
    'refs/heads',
  ])
  if (refs.exitCode !== 0) return []
  const unshared: string[] = []
  for (const line of refs.stdout.split('\n')) {
    const [tip = '', branch = ''] = line.split(' ')
    if (tip === '') continue
    // Fails where the repository doesn’t have the commit at all, which is the same as not sharing
    // it.
    const missing = await host.run('git', [
      '--git-dir',
      paths.commonDir,
      'rev-list',
      '--max-count=1',
      tip,
      '--not',
      '--branches',
      '--tags',
    ])
    if (missing.exitCode !== 0 || missing.stdout.trim() !== '') unshared.push(branch)
  }
  return unshared
}
