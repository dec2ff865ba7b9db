import type { Environment } from '../config/environment.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** What `doctor` asks of Gitea. */
export const createGiteaHost = (environment: Environment): Host['gitea'] => ({
  async find({ commonDir, home, config }) {
    const [{ findGitea }, { openGit }, { gitEnvironment }] = await Promise.all([
      import('../daemon/forge/find-gitea.ts'),
      import('../adapters/git/open.ts'),
      import('../config/environment.ts'),
    ])
    return findGitea({
      git: openGit({ commonDir, environment: gitEnvironment(environment) }),
      environment,
      config,
      home,
    })
  },

  async check({ repository, token }) {
    const [{ createGiteaClient }, { checkGitea }, { silentLog }, { readVersion }] =
      await Promise.all([
        import('../adapters/forge/gitea/client.ts'),
        import('../adapters/forge/gitea/check.ts'),
        import('../runtime/log.ts'),
        import('../runtime/version.ts'),
      ])
    const client = createGiteaClient({
      repository,
      token: () => token.read(),
      clock: Date.now,
      log: silentLog(),
      userAgent: `exomonad/${readVersion()}`,
      // A person waits.
      retryDelay: 200,
    })
    try {
      return await checkGitea(client, `${repository.owner}/${repository.name}`)
    } finally {
      client.close()
    }
  },
})
