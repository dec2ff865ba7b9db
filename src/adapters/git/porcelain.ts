import { simpleGit, type SimpleGit } from 'simple-git'
import { ExomonadError } from '../../domain/errors.ts'
import { isFull } from './failure.ts'
import { gitVariables, SETTINGS } from './settings.ts'

/**
 * simple-git on one repository, for what git prints for people. Its guards are lifted only for the
 * settings and variables that we fix ourselves.
 */
export function createPorcelain({
  commonDir,
  environment,
}: {
  commonDir: string
  environment: Readonly<Record<string, string>>
}) {
  const variables = { ...gitVariables(environment), GIT_DIR: commonDir, GIT_OPTIONAL_LOCKS: '0' }
  return async <T>(doing: string, work: (git: SimpleGit) => PromiseLike<T>): Promise<T> => {
    const git = simpleGit({
      baseDir: commonDir,
      config: [...SETTINGS],
      timeout: { block: 120_000 },
      allowEnvironment: Object.keys(variables).filter((name) => name.startsWith('GIT_')),
      unsafe: {
        allowUnsafeHooksPath: true,
        allowUnsafeFsMonitor: true,
        allowUnsafeConfigPaths: true,
      },
    }).env(variables)
    try {
      return await work(git)
    } catch (cause) {
      const words = cause instanceof Error ? cause.message.trim() : String(cause)
      if (isFull({ startError: null, stderr: words }, commonDir))
        throw new ExomonadError(
          'DISK_FULL',
          `The disk is full: git could not ${doing} (${words}). Make room and try again; nothing was lost.`,
          { git: words },
          { cause },
        )
      throw new ExomonadError(
        'GIT_FAILED',
        `Could not ${doing}: ${words}`,
        { git: words },
        { cause },
      )
    }
  }
}
export type Porcelain = ReturnType<typeof createPorcelain>
