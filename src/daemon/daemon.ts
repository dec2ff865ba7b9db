import { join } from 'node:path'
import { createForkServer } from '../processes/fork-server/fork-server.ts'
import { openKeptGit } from '../adapters/git/open.ts'
import { createAgentFiles } from '../adapters/machine/agent-files.ts'
import { writeBinShim } from '../adapters/machine/bin-shim.ts'
import { freePort, portsFree } from '../adapters/machine/free-port.ts'
import { openLogFile } from '../adapters/machine/log-file.ts'
import { createTrash } from '../adapters/machine/trash.ts'
import { createBring } from '../adapters/machine/workplace/bring.ts'
import { createSetupCache } from '../adapters/machine/workplace/setup-cache.ts'
import { agentEnvironment, gitEnvironment, type Environment } from '../config/environment.ts'
import { listTrackedConfiguration } from '../config/tracked-files.ts'
import type { Config } from '../config/schema.ts'
import { ensureOwnerToken, userStateFolder } from '../config/user-state.ts'
import { createLog } from '../runtime/log.ts'
import { PACKAGE_ROOT, programFile } from '../runtime/package-root.ts'
import { repositoryHash } from '../runtime/paths.ts'
import { createTextGate } from '../sanitize/text-gate.ts'
import { readVersion } from '../runtime/version.ts'
import { announce } from './announce.ts'
import { assembleCore, type AssembledCore } from './assemble-core.ts'
import { assembleDelivery } from './assemble-delivery.ts'
import { assembleNotices } from './assemble-notices.ts'
import { assemblePulls } from './assemble-pulls.ts'
import { beginWork } from './begin-work.ts'
import { chooseMultiplexer } from './choose-multiplexer.ts'
import { claimRepository } from './claim-repository.ts'
import type { RemoteAccess } from './forge/choose-forge.ts'
import { createKnownTokens } from './known-tokens.ts'
import { createHoldChecks } from './limits/hold-checks.ts'
import { openLimits } from './limits/open-limits.ts'
import { createPrompts, listedTools } from './listed-tools.ts'
import { startMaintenance } from './maintenance.ts'
import { openMcp } from './open-mcp.ts'
import { openStore } from './store/open-store.ts'
import { createReleaser } from './releaser.ts'
import { createConfine } from './sandbox/confine.ts'
import { confinedGit } from './sandbox/confined-git.ts'
import { serveHttp } from './serve-http.ts'
import { createSettings } from './settings.ts'
import { createPage } from '../surfaces/web/page.ts'

export interface DaemonOptions {
  /** Anywhere in the repository. */
  readonly cwd: string
  readonly environment: Environment
  /** Each line of the log, as JSON with its end, as it is written; nothing secret is in it. */
  readonly onLog?: (line: string) => void
  /**
   * Called after a step of a spawn or merge was journaled and before it is taken: where crash tests
   * end the process.
   */
  readonly onJournalStep?: (kind: string, step: string) => void
}

export interface Daemon {
  readonly socket: string
  /** Resolves when the repository is gone: there is nobody left to serve. */
  readonly lost: Promise<void>
  /** Ends surfaces and timers, lets go of panes, closes the store. Agents go on. */
  stop(): Promise<void>
}

/**
 * The composition root: configuration → adapters → core → surfaces, released in reverse order.
 * NOT_INITIALIZED, ALREADY_RUNNING, CONFIG_INVALID, STORE_TOO_NEW and the like where it can’t
 * start.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { environment } = options
  const clock = Date.now
  const release = createReleaser()
  const lost = Promise.withResolvers<void>()
  try {
    const { exec, dispose } = createForkServer()
    release.add('fork server', dispose)
    const claimed = await claimRepository({ ...options, release, exec })
    const { commonDir, paths, socket, rootWorktree } = claimed
    const access: RemoteAccess = { push: async () => ({}), remote: async () => ({}) }
    const leaving = new AbortController()
    const { git, close: closeGit } = openKeptGit({
      commonDir,
      origin: paths.origin,
      exec: confinedGit({ paths, environment, exec }),
      environment: gitEnvironment(environment),
      signal: leaving.signal,
      pushEnvironment: () => access.push(),
      remoteEnvironment: (name) => access.remote(name),
    })
    release.add('git', closeGit)
    const settings = await createSettings({
      environment,
      node: process.execPath,
      trust: {
        paths,
        environment,
        trackedFiles: () =>
          listTrackedConfiguration({
            exec,
            worktree: paths.home,
            environment: gitEnvironment(environment),
          }),
      },
    })
    const config = settings.current
    const roleToolsOf = (of: Config) => (role: string) => of.roles[role]?.tools
    const bytes = config().retention.logs_mb * 1_000_000
    const destination = openLogFile(paths.log, bytes, options.onLog)
    release.add('log', () => destination.close())
    // Of agents’ tokens only hashes are known here.
    const ownerToken = await ensureOwnerToken(environment, commonDir)
    const tokens = createKnownTokens([ownerToken], () => config().secrets.entropy)
    const log = createLog({ level: config().log.level, destination, secrets: tokens.values })
    const gate = createTextGate(tokens)
    const { store, touches } = await openStore({
      config: await settings.store(),
      ...{ environment, paths, log, clock, gate, tokens },
    })
    release.add('store', () => store.close())

    const environmentOf = ({ environment: { pass } }: Config, passes: readonly string[] = []) =>
      agentEnvironment(environment, [...pass, ...passes])
    const agentEnv = async () => environmentOf((await settings.snapshot()).config)
    const { multiplexer, detached, letGo } = await chooseMultiplexer({
      kind: config().multiplexer.kind,
      panes: (await store.agents.list({ live: true })).flatMap(({ paneId }) => paneId ?? []),
      environment,
      hash: repositoryHash(commonDir),
      paths,
      log,
      agentEnvironment: await agentEnv(),
      exec,
    })
    settings.holdSessions(detached)
    let settle = async (): Promise<void> => {}
    release.add('multiplexer', () => letGo(settle))

    const files = createAgentFiles({
      paths,
      launcher: join(PACKAGE_ROOT, 'hooks', 'launch.sh'),
      gate,
    })
    const trash = createTrash({ folder: paths.trash, log, exec, path: environment.path })
    const setupCache = createSetupCache({ folder: paths.setupCache, exec, trash, log })
    const { renderer, publisher, probe, outbox } = assembleDelivery({
      store,
      multiplexer,
      files,
      settings,
      paths,
      tokens,
      clock,
      log,
    })
    const onJournalStep = options.onJournalStep ?? (() => {})
    const { limits, holdCheck } = createHoldChecks({
      ...{ store, config, limits: openLimits(paths, environment) },
    })
    const { forge, poller, landResults, resume } = await assemblePulls({
      ...{ git, store, publisher, environment, paths, config },
      requireTrust: settings.requireTrust,
      agentEnvironment: agentEnv,
      ...{ holdCheck, access, tokens, gate, clock, log, onJournalStep, release },
    })
    await writeBinShim(paths.bin, {
      node: process.execPath,
      bin: programFile('bin/exomonad'),
      confinedGit: join(PACKAGE_ROOT, 'hooks', 'confined-git.sh'),
    })
    const mcp = config().mcp.http
      ? await openMcp({ file: paths.mcpFile, port: config().mcp.port, log })
      : null
    if (mcp !== null) release.add('mcp', () => mcp.close())
    const notices = assembleNotices({
      ...{ store, publisher, settings, environment, paths, tokens, gate, clock, log },
      env: await agentEnv(),
    })
    const page = createPage({ file: paths.webFile, config: () => config().web, clock, log })
    const assembled: AssembledCore = assembleCore({
      ...{ store, touches },
      git,
      multiplexer,
      detached,
      forge,
      ...{ files, trash, setupCache, bring: createBring(exec), probe },
      publisher,
      outbox,
      polling: poller,
      notifications: notices,
      settings,
      prompts: createPrompts({ store, renderer }),
      ...{ paths, gate, clock, log, onJournalStep },
      socket,
      agentPath: paths.bin,
      mcpUrl: mcp?.url ?? null,
      hookScript: join(PACKAGE_ROOT, 'hooks', 'program.sh'),
      ...{ freePort, portsFree },
      environmentOf,
      confine: createConfine({ paths, socket, environment }),
      ...{ landResults, page },
      holdsLimits: limits,
      toolsOf: (of, agent) => listedTools(of, agent).map(({ name }) => name),
    })
    const { core } = assembled

    const begun = await beginWork({
      assembled,
      store,
      multiplexer,
      outbox,
      forge,
      poller,
      resumeForge: resume,
      config,
      paths,
      rootWorktree,
      userHome: environment.home,
      log,
      release,
      reconciled: () => {
        settle = core.maintenance.reconcile
      },
    })

    notices.start()
    release.add('notices', () => notices.stop())
    release.add(
      'maintenance',
      startMaintenance({
        ...{ core, store, git, paths, trash, config, clock, log },
        onLost: lost.resolve,
      }),
    )

    const version = readVersion()
    await serveHttp({
      socket,
      core,
      store,
      publisher,
      multiplexer,
      forge,
      ...{ mcp, page, notices },
      ownerToken,
      userState: userStateFolder(environment),
      roleTools: (role) => roleToolsOf(config())(role),
      version,
      repository: paths.home,
      gate,
      clock,
      log,
      release,
    })
    // Before anything that waits for its requests: a GitHub that hangs holds up no stop, and what
    // it did meanwhile is settled at the next start.
    if (forge.kind !== 'local') {
      release.add('requests to the forge', () => {
        leaving.abort()
        return forge.dispose()
      })
    }
    await announce({
      environment,
      commonDir,
      paths,
      socket,
      publisher,
      release,
      found: {
        version,
        adopted: await begun.adopted(),
        ...begun.recovered,
      },
    })
    log.info(
      { pid: process.pid, socket, multiplexer: multiplexer.name, ...begun.recovered },
      'ready',
    )
    return { socket, lost: lost.promise, stop: () => release.all(log) }
  } catch (thrown) {
    await release.all()
    throw thrown
  }
}

/** `exomonad daemon run`: serves until SIGTERM or SIGINT, or until its repository is gone. */
export async function runDaemon(options: DaemonOptions): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    // For good, not once: what runs programs (processes/exec.ts) ends this process meanwhile by a
    // signal that nobody else listens to any more.
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, resolve)
  })
  const daemon = await startDaemon(options)
  await Promise.race([stopped, daemon.lost])
  await daemon.stop()
}
