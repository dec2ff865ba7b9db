import { stat } from 'node:fs/promises'
import { gitEnvironment } from '../../../config/environment.ts'
import type { Config } from '../../../config/schema.ts'
import type { CliContext } from '../context.ts'
import type { Diagnosis } from './diagnosis.ts'
import type { LocatedRepository } from '../locate.ts'

/** Beside all branches: nobody fetches it, and it goes again. */
const REF = 'refs/exomonad/doctor'

/**
 * Whether the root’s branch can be pushed to the local forge, as each spawn does: by doing it. A
 * clone that lacks objects fails here, and not after agents have worked for hours.
 */
export async function diagnosePush(
  context: CliContext,
  config: Config | null,
  { paths, file }: LocatedRepository,
): Promise<Diagnosis[]> {
  if (config?.forge.kind !== 'local' || config.forge.local.remote !== undefined) return []
  const isThere = await stat(paths.origin).then(
    () => true,
    () => false,
  )
  if (!isThere) return []
  const git = (...args: string[]) =>
    context.host.run('git', ['-C', file.rootWorktree, ...args], {
      env: gitEnvironment(context.environment),
    })
  const pushed = await git(
    'push',
    '--quiet',
    '--no-verify',
    '--no-signed',
    '--force',
    paths.origin,
    `HEAD:${REF}`,
  )
  if (pushed.exitCode === 0) {
    // In the forge, which has both now. Without a commit that they share nothing that starts here
    // could be merged there.
    const branch = (await git('symbolic-ref', '--quiet', 'HEAD')).stdout.trim()
    const shared = await context.host.run('git', ['-C', paths.origin, 'merge-base', REF, branch], {
      env: gitEnvironment(context.environment),
    })
    await git('push', '--quiet', '--no-verify', paths.origin, `:${REF}`)
    if (shared.exitCode !== 1)
      return [
        {
          subject: 'push',
          status: 'ok',
          found: 'the root’s branch can be pushed to the local forge',
        },
      ]
    return [
      {
        subject: 'push',
        status: 'problem',
        found:
          'the root’s branch shares no commit with what the local forge has of it, so nothing could be merged there',
        fix: '`git fetch --unshallow` gets the history that this clone was cut off from',
      },
    ]
  }
  const said = pushed.stderr
    .split('\n')
    .map((line) => line.trim())
    .find((line) => /^(fatal|error|remote|!)/.test(line))
  return [
    {
      subject: 'push',
      status: 'problem',
      found: `the root’s branch can’t be pushed to the local forge, so nothing could be filed: ${said ?? `git exit ${pushed.exitCode}`}`,
      fix: '`git fsck --connectivity-only` names objects that are missing; `git fetch --refetch` gets them from where this was cloned',
    },
  ]
}
