import type { Environment } from '../config/environment.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** GitHub that doesn’t answer a command within this counts as not reached. Milliseconds. */
const LIMIT = 20_000

/** What `init` and `doctor` ask of GitHub, and of a checkout’s workflows. */
export const createGithubHost = (environment: Environment): Host['github'] => ({
  async find({ commonDir, home, config }) {
    const [{ findGithub }, { openGit }, { exec }, { gitEnvironment }] = await Promise.all([
      import('../daemon/forge/find-github.ts'),
      import('../adapters/git/open.ts'),
      import('../processes/exec.ts'),
      import('../config/environment.ts'),
    ])
    const git = openGit({ commonDir, environment: gitEnvironment(environment) })
    return findGithub({ git, exec, environment, config, home })
  },

  async check({ repository, token }, { github }, root) {
    const [{ createGithubClient }, { checkPermissions }, { silentLog }, { readVersion }] =
      await Promise.all([
        import('../adapters/forge/github/client/create.ts'),
        import('../adapters/forge/github/setup/permissions.ts'),
        import('../runtime/log.ts'),
        import('../runtime/version.ts'),
      ])
    const client = createGithubClient({
      repository,
      token: () => token.read(),
      ...(token.app === undefined ? {} : { app: token.app }),
      settings: () => ({
        trustedBots: github.trusted_bots,
        copilotReview: github.copilot_review,
        reserve: 0,
        checksExpectedWithin: github.checks_expected_within,
      }),
      clock: Date.now,
      log: silentLog(),
      userAgent: `exomonad/${readVersion()}`,
      // A person waits.
      retryDelay: 200,
    })
    const late = Promise.withResolvers<{ kind: 'unreachable'; reason: string }>()
    const reason = `GitHub (${repository.host}) did not answer within ${LIMIT / 1000} seconds.`
    const timer = setTimeout(() => late.resolve({ kind: 'unreachable', reason }), LIMIT)
    try {
      return await Promise.race([
        checkPermissions(client, repository, {
          app: token.app,
          root: root ?? undefined,
          deletes: github.delete_branch,
        }),
        late.promise,
      ])
    } finally {
      clearTimeout(timer)
    }
  },

  async openToOthers(file) {
    const { openToOthers } = await import('../adapters/forge/secret-file.ts')
    return openToOthers(file)
  },

  async secretFile(written, home) {
    const { secretFilePath } = await import('../adapters/forge/secret-file.ts')
    return secretFilePath(written, { userHome: environment.home, home })
  },

  async silentWorkflows(worktree, root) {
    const [{ findSilentWorkflows }, { readWorkflows }] = await Promise.all([
      import('../adapters/forge/github/setup/workflows.ts'),
      import('../adapters/forge/github/setup/read-workflows.ts'),
    ])
    return findSilentWorkflows(await readWorkflows(worktree), root)
  },
})
