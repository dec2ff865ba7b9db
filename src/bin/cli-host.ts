import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { createBackupHost } from './host-backup.ts'
import { createGiteaHost } from './host-gitea.ts'
import { createGithubHost } from './host-github.ts'
import { createMultiplexersHost } from './host-multiplexers.ts'
import { createReportHost } from './host-report.ts'
import { createStoreHost } from './host-store.ts'
import { createSshHost } from './host-ssh.ts'
import type { Environment } from '../config/environment.ts'
import type * as Daemon from '../daemon/daemon.ts'
import type { ExomonadError } from '../domain/errors.ts'
import { PACKAGE_ROOT, programFile } from '../runtime/package-root.ts'
import { sendSignal } from '../../packages/subagents/src/processes/signal.ts'
import type { Host } from '../surfaces/cli/host.ts'

/**
 * The daemon lives for days and is mostly idle: a small young generation keeps what it once needed
 * from staying resident (−28 MB when measured).
 */
const SMALL_HEAP = ['--max-semi-space-size=1']

const startApart: Host['startApart'] = async ([file = '', ...args], { cwd, env, output }) => {
  const [{ startDetached }, { open }] = await Promise.all([
    import('../processes/exec.ts'),
    import('node:fs/promises'),
  ])
  const target = await open(output, 'w', 0o600)
  try {
    const child = startDetached(file, args, { cwd, env, output: target.fd })
    const ended = new Promise<number | null>((resolve) => {
      child.once('exit', resolve)
      child.once('error', () => resolve(null))
    })
    return { pid: child.pid ?? 0, ended }
  } finally {
    await target.close()
  }
}

/**
 * The commands’ way to git, processes and the daemon: each function loads what it needs when it is
 * called.
 */
export function createHost(environment: Environment): Host {
  const multiplexers = createMultiplexersHost(environment)
  const { path, home: userHome, variables } = environment
  /** Where agent CLIs are looked for, and what they see. */
  const programsHere = async (home: string) => {
    const { exec } = await import('../processes/exec.ts')
    return { path, node: process.execPath, home, userHome, variables, exec }
  }
  return {
    async inspectRepository(cwd) {
      const [{ inspectRepository }, { gitEnvironment }] = await Promise.all([
        import('../adapters/git/repository.ts'),
        import('../config/environment.ts'),
      ])
      return inspectRepository(cwd, gitEnvironment(environment))
    },
    async git(commonDir) {
      const [{ openGit }, { gitEnvironment }] = await Promise.all([
        import('../adapters/git/open.ts'),
        import('../config/environment.ts'),
      ])
      return openGit({ commonDir, environment: gitEnvironment(environment) })
    },
    async run(file, args, options) {
      const { exec } = await import('../processes/exec.ts')
      return exec(file, args, { env: environment.variables, ...options })
    },
    ssh: createSshHost(environment),
    async runOnTerminal(argv, cwd, given) {
      const { runOnTerminal } = await import('../processes/exec.ts')
      const env = { ...environment.variables, ...given?.env }
      return runOnTerminal(argv, { cwd, env, input: given?.input, held: given?.held })
    },
    signal: sendSignal,
    async isRunning(pid) {
      const { isRunning } = await import('../processes/processes.ts')
      return isRunning(pid)
    },
    async chooseSocket(commonDir) {
      const [{ chooseSocketPath }, { repositoryHash }] = await Promise.all([
        import('../adapters/machine/socket-path.ts'),
        import('../runtime/paths.ts'),
      ])
      return chooseSocketPath({
        state: join(commonDir, 'exomonad'),
        runtimeDir: environment.runtimeDir,
        hash: repositoryHash(commonDir),
      })
    },
    startApart,
    startDaemonProcess: ({ cwd, output }) =>
      startApart([process.execPath, ...SMALL_HEAP, programFile('bin/daemon')], {
        ...{ cwd, output },
        env: daemonVariables(environment),
      }),
    async runDaemon(options) {
      const { runDaemon } = await loadDaemon()
      await runDaemon({ ...options, environment })
    },
    async endTerminals(paths) {
      const [{ chooseMultiplexer }, { silentLog }, { agentEnvironment }, { repositoryHash }] =
        await Promise.all([
          import('../daemon/choose-multiplexer.ts'),
          import('../runtime/log.ts'),
          import('../config/environment.ts'),
          import('../runtime/paths.ts'),
        ])
      // All: the configuration may name another one than when the agents were started.
      for (const kind of ['tmux', 'headless', 'zellij'] as const) {
        // Whoever asks Zellij anything gets a folder for its log: only where there is its state,
        // which a session of ours has from its start.
        if (
          kind === 'zellij' &&
          !(existsSync(join(paths.state, 'zellij')) && (await multiplexers.look(kind)).usable)
        )
          continue
        const hash = repositoryHash(paths.commonDir)
        const { multiplexer } = await chooseMultiplexer({
          kind,
          environment,
          hash,
          paths,
          log: silentLog(),
          agentEnvironment: agentEnvironment(environment),
        })
        await multiplexer.shutdown().catch(async (error: unknown) => {
          await multiplexer.dispose()
          const { ExomonadError } = await import('../domain/errors.ts')
          if (!(error instanceof ExomonadError && error.code === 'MULTIPLEXER_UNAVAILABLE'))
            throw error
        })
      }
      const { endLimits } = await import('../daemon/limits/open-limits.ts')
      await endLimits(paths, environment)
    },
    store: createStoreHost(environment),
    backup: createBackupHost(environment),
    report: createReportHost(environment),
    async loadConfig(file) {
      const [{ loadConfig }, { ALL_TOOLS }] = await Promise.all([
        import('../config/load.ts'),
        import('../tools/all.ts'),
      ])
      return loadConfig(file, { toolNames: ALL_TOOLS.map((tool) => tool.name) })
    },
    async checkAttention(attention) {
      const { checkAttention } = await import('../delivery/attention.ts')
      return checkAttention(attention)
    },
    async checkTemplates(folder) {
      const { checkTemplates } = await import('../delivery/render/check-templates.ts')
      return checkTemplates(folder, join(PACKAGE_ROOT, 'templates'))
    },
    async agentCli(name, config, home) {
      const { loadAgentClis } = await import('../daemon/agent-clis.ts')
      return (await loadAgentClis()).create({ ...(await programsHere(home)), name, config })
    },
    async acpCli(name, config, home) {
      const { loadAgentClis, NO_SESSIONS } = await import('../daemon/agent-clis.ts')
      return (await loadAgentClis()).createAcp({
        ...(await programsHere(home)),
        name,
        config,
        sessions: NO_SESSIONS,
      })
    },
    async trackedFiles(paths) {
      const [{ listTrackedConfiguration }, { exec }, { gitEnvironment }] = await Promise.all([
        import('../config/tracked-files.ts'),
        import('../processes/exec.ts'),
        import('../config/environment.ts'),
      ])
      return listTrackedConfiguration({
        exec,
        worktree: paths.home,
        environment: gitEnvironment(environment),
      })
    },
    async trySandbox(programs) {
      const [{ trySandbox }, { exec }] = await Promise.all([
        import('../daemon/sandbox/try-programs.ts'),
        import('../processes/exec.ts'),
      ])
      return trySandbox(programs, { environment, exec })
    },
    async tryLimits(paths) {
      const { openLimits } = await import('../daemon/limits/open-limits.ts')
      return openLimits(paths, environment).probe()
    },
    github: createGithubHost(environment),
    gitea: createGiteaHost(environment),
    multiplexers,
  }
}

/**
 * By its file: once built it is a program apart, which shares nothing with the command line. Its
 * errors are of its own class then, and are made the command line's.
 */
async function loadDaemon(): Promise<Pick<typeof Daemon, 'runDaemon'>> {
  const [{ runDaemon }, { ExomonadError }] = await Promise.all([
    import(pathToFileURL(programFile('daemon/daemon')).href) as Promise<typeof Daemon>,
    import('../domain/errors.ts'),
  ])
  return {
    runDaemon: (options) =>
      runDaemon(options).catch((thrown: unknown) => {
        if (thrown instanceof ExomonadError || !isCoded(thrown)) throw thrown
        throw new ExomonadError(thrown.code, thrown.message, thrown.facts, { cause: thrown })
      }),
  }
}

const isCoded = (thrown: unknown): thrown is ExomonadError =>
  thrown instanceof Error && 'code' in thrown && 'facts' in thrown

/** The daemon is nobody’s agent, whoever started it. */
const AGENT_VARIABLES =
  /^EXOMONAD_(?:AGENT_ID|AGENT_NAME|PARENT_ID|BRANCH|ROLE|SOCKET|TOKEN|AUTH_FILE|SPOOL|MCP_URL|SANDBOX)$/

const daemonVariables = (environment: Environment): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment.variables).filter(([name]) => !AGENT_VARIABLES.test(name)),
  )
