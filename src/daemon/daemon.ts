import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { exec } from '../processes/exec.ts'
import { openKeptGit } from '../adapters/git/open.ts'
import { inspectRepository } from '../adapters/git/repository.ts'
import { createAgentFiles } from '../adapters/machine/agent-files.ts'
import { writeBinShim } from '../adapters/machine/bin-shim.ts'
import { freePort } from '../adapters/machine/free-port.ts'
import { acquireInstanceLock } from '../adapters/machine/instance-lock.ts'
import { openLogFile } from '../adapters/machine/log-file.ts'
import { createNotifier } from '../adapters/machine/notify.ts'
import { createTrash } from '../adapters/machine/trash.ts'
import { guardForge } from '../adapters/forge/guarded.ts'
import { agentEnvironment, gitEnvironment, type Environment } from '../config/environment.ts'
import { readRepositoryFile } from '../config/repository-file.ts'
import { listTrackedConfiguration } from '../config/tracked-files.ts'
import { ensureOwnerToken, writeRepositoryRecord } from '../config/user-state.ts'
import type { Config } from '../config/schema.ts'
import { knownForgeHealth } from '../core/pulls/forge-health.ts'
import { hashToken } from '../core/spawn/token.ts'
import { createLiveAgentOf } from '../core/agents/live-agent.ts'
import { createMergeFollowUp } from '../core/pulls/merge/follow-up.ts'
import { createAgentProbe } from '../core/agents/agent-probe.ts'
import { assembleCore, type AssembledCore } from './assemble-core.ts'
import { chooseForge, type RemoteAccess } from './choose-forge.ts'
import { chooseMultiplexer } from './choose-multiplexer.ts'
import { createKnownTokens } from './known-tokens.ts'
import { listenForWebhooks } from './listen-for-webhooks.ts'
import { startMaintenance } from './maintenance.ts'
import { createHumanNotice } from './notify-human.ts'
import { openMcp } from './open-mcp.ts'
import { openStore } from './open-store.ts'
import { createReleaser } from './releaser.ts'
import { createSettings } from './settings.ts'
import { createTemplateOverrides } from './template-overrides.ts'
import { ExomonadError } from '../domain/errors.ts'
import { EVENTS } from '../events/event.ts'
import { requireAccounted, requireDatabase } from './unaccounted.ts'
import { createOutbox } from '../delivery/outbox.ts'
import { createPoller } from '../pull-watch/poller.ts'
import { createPublisher } from '../delivery/publisher.ts'
import { createRenderer } from '../delivery/render/render.ts'
import { newDeliveryId, parseAgentId } from '../domain/ids.ts'
import { createLog } from '../runtime/log.ts'
import { PACKAGE_ROOT, programFile } from '../runtime/package-root.ts'
import { foldersOf, pathsOf, repositoryHash } from '../runtime/paths.ts'
import { createHttpServer } from '../surfaces/http/server.ts'
import { mayAgentUse } from '../surfaces/tool-access.ts'
import { createTextGate } from '../sanitize/text-gate.ts'
import { ALL_TOOLS } from '../tools/all.ts'
import { readVersion } from '../runtime/version.ts'

export interface DaemonOptions {
  /** Anywhere in the repository. */
  readonly cwd: string
  readonly environment: Environment
  /** Logs go to the terminal as well. */
  readonly foreground: boolean
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
    const facts = await inspectRepository(options.cwd, gitEnvironment(environment))
    const repository = await readRepositoryFile(
      pathsOf(facts.commonDir, facts.mainWorktree ?? options.cwd).repositoryFile,
    )
    if (repository === null)
      throw new ExomonadError(
        'NOT_INITIALIZED',
        `exomonad is not set up in ${options.cwd}. Run \`exomonad init\`.`,
      )
    const paths = pathsOf(facts.commonDir, repository.home)
    const { socket } = repository
    for (const folder of foldersOf(paths)) {
      await mkdir(folder, { recursive: true, mode: 0o700 })
    }

    const lock = acquireInstanceLock(paths.lock)
    if (lock.kind === 'held') {
      throw new ExomonadError(
        'ALREADY_RUNNING',
        `A daemon${lock.pid === null ? '' : ` (process ${lock.pid})`} serves ${paths.home} already.`,
        {
          pid: lock.pid,
        },
      )
    }
    release.add('lock', () => lock.release())
    const access: RemoteAccess = { push: async () => ({}), remote: async () => ({}) }
    const leaving = new AbortController()
    const { git, close: closeGit } = openKeptGit({
      commonDir: facts.commonDir,
      origin: paths.origin,
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
    const destination = openLogFile(paths.log, config().retention.logs_mb * 1_000_000)
    release.add('log', () => destination.close())
    // Of agents’ tokens only hashes are known here.
    const ownerToken = await ensureOwnerToken(environment, facts.commonDir)
    const tokens = createKnownTokens([ownerToken], () => config().secrets.entropy)
    const log = createLog({ level: config().log.level, destination, secrets: tokens.values })

    const gate = createTextGate(tokens)
    await requireDatabase(paths)
    const store = await openStore({
      file: paths.database,
      backups: paths.backups,
      log,
      clock,
      gate,
      tokens,
    })
    release.add('store', () => store.close())

    const environmentOf = ({ environment: { pass } }: Config, passes: readonly string[] = []) =>
      agentEnvironment(environment, [...pass, ...passes])
    const agentEnv = async () => environmentOf((await settings.snapshot()).config)
    const { multiplexer, detached, letGo } = await chooseMultiplexer({
      kind: config().multiplexer.kind,
      panes: (await store.agents.list({ live: true })).flatMap(({ paneId }) => paneId ?? []),
      environment,
      hash: repositoryHash(facts.commonDir),
      paths,
      log,
      agentEnvironment: await agentEnv(),
    })
    settings.holdSessions(detached)
    let settle = async (): Promise<void> => {}
    release.add('multiplexer', () => letGo(settle))

    const { forge: ungated, resume } = await chooseForge({
      git,
      store,
      environment,
      paths,
      config,
      requireTrust: settings.requireTrust,
      agentEnvironment: agentEnv,
      access,
      tokens,
      gate,
      clock,
      log,
    })
    const forge = guardForge(ungated, gate)
    release.add('forge', () => forge.dispose())

    const renderer = createRenderer({
      shippedFolder: join(PACKAGE_ROOT, 'templates'),
      overrideFolder: createTemplateOverrides({
        folder: paths.templates,
        requireTrust: settings.requireTrust,
        clock,
      }),
      log,
      secrets: tokens,
    })
    const publisher = createPublisher({ store, renderer, clock, log, newDeliveryId })
    const files = createAgentFiles({
      paths,
      launcher: join(PACKAGE_ROOT, 'hooks', 'launch.sh'),
      exec,
      gate,
    })
    const trash = createTrash({ folder: paths.trash, log })
    const probe = createAgentProbe({
      liveAgentOf: createLiveAgentOf({ files }),
      multiplexer,
      clock,
      log,
    })
    const outbox = createOutbox({
      store,
      probe,
      multiplexer,
      // Messages go on by the last one that could be read.
      settings: { snapshot: () => settings.snapshot().catch(settings.lastRead) },
      publisher,
      clock,
      log,
    })
    const onJournalStep = options.onJournalStep ?? (() => {})
    const followUp = createMergeFollowUp({ store, git, forge, clock, log, onJournalStep })
    const poller = createPoller({ forge, store, publisher, config, clock, log, followUp })

    await writeBinShim(paths.bin, {
      node: process.execPath,
      bin: programFile('bin/exomonad'),
    })
    const mcp = config().mcp.http
      ? await openMcp({ file: paths.mcpFile, port: config().mcp.port, log })
      : null
    if (mcp !== null) release.add('mcp', () => mcp.close())
    const assembled: AssembledCore = assembleCore({
      store,
      git,
      multiplexer,
      detached,
      forge,
      ...{ files, trash, probe },
      publisher,
      outbox,
      polling: poller,
      settings,
      prompts: async (of, name, { role, ...data }) => {
        const { tools = null } = (await store.agents.get(parseAgentId(data.agent_id))) ?? {}
        const allowed = ALL_TOOLS.filter(
          (tool) => tool.listed && mayAgentUse(tool, { role, tools }, roleToolsOf(of)),
        )
        return renderer.renderPrompt(name, {
          tools: allowed.map(({ name: tool, description }) => ({ name: tool, description })),
          ...data,
        })
      },
      paths,
      gate,
      clock,
      log,
      onJournalStep,
      socket,
      agentPath: paths.bin,
      mcpUrl: mcp?.url ?? null,
      hookScript: join(PACKAGE_ROOT, 'hooks', 'program.sh'),
      freePort,
      environmentOf,
      toolsOf: (of, agent) =>
        ALL_TOOLS.filter((tool) => tool.listed && mayAgentUse(tool, agent, roleToolsOf(of))).map(
          ({ name }) => name,
        ),
    })
    const { core } = assembled

    // Level-triggered from here on: first what a crash cut off, then what is true now, and only
    // then new requests.
    await multiplexer.start()
    await requireAccounted({ store, multiplexer, paths })
    const { already } = await core.maintenance.registerRoot(repository.rootWorktree)
    const recovered = await core.maintenance.recover()
    release.add('deaths', multiplexer.onDeath(assembled.paneDied))
    await core.maintenance.reconcile()
    settle = core.maintenance.reconcile
    await outbox.start()
    release.add('outbox', () => outbox.stop())
    poller.start()
    release.add('poller', () => poller.stop())
    const webhook = await listenForWebhooks({
      config: config(),
      forge,
      poller,
      home: paths.home,
      userHome: environment.home,
      log,
    })
    if (webhook !== null) release.add('webhook', () => webhook.close())
    for (const part of [
      'usage',
      'observing',
      'sessions',
      'paneNames',
      'landings',
      'background',
    ] as const)
      release.add(part, () => assembled[part].stop())
    await resume().then(assembled.background.begin)

    const env = await agentEnv()
    const notify = async () => {
      await settings.requireTrust()
      return createNotifier({ command: config().notify.command, env, exec, log })
    }
    release.add(
      'notice',
      publisher.onEnqueued(createHumanNotice({ store, notify, log, since: clock() })),
    )
    release.add(
      'maintenance',
      startMaintenance({ core, store, paths, config, clock, log, onLost: lost.resolve }),
    )

    const version = readVersion()
    const http = await createHttpServer({
      core,
      tools: ALL_TOOLS,
      events: {
        types: Object.keys(EVENTS),
        list: (query) => store.events.list(query),
        lastSeq: () => store.events.lastSeq(),
        onEvent: publisher.onEvent,
      },
      ownerTokenHash: hashToken(ownerToken),
      findAgentByTokenHash: core.directory.byTokenHash,
      log,
      version,
      repository: paths.home,
      clock,
      health: async () => {
        const health = await knownForgeHealth(store).catch(() => undefined)
        return {
          multiplexer: multiplexer.name,
          forge: forge.kind,
          forge_trouble: health?.code ?? null,
          ...(mcp === null ? {} : { mcp: mcp.url }),
        }
      },
      roleTools: (role) => roleToolsOf(config())(role),
      gate,
      ...(mcp === null ? {} : { loopback: mcp }),
    })
    await http.listen(socket)
    release.add('http', () => http.close())
    // Before anything that waits for its requests: a GitHub that hangs holds up no stop, and what
    // it did meanwhile is settled at the next start.
    if (forge.kind !== 'local') {
      release.add('requests to the forge', () => {
        leaving.abort()
        return forge.dispose()
      })
    }
    await writeRepositoryRecord(environment, {
      commonDir: facts.commonDir,
      home: paths.home,
      socket,
      pid: process.pid,
    })
    release.add('record', () =>
      writeRepositoryRecord(environment, {
        commonDir: facts.commonDir,
        home: paths.home,
        socket,
        pid: null,
      }),
    )
    await publisher.publish({
      type: 'daemon.started',
      agentId: null,
      actor: 'daemon',
      payload: {
        pid: process.pid,
        version,
        adopted: already ? (await multiplexer.list()).length : 0,
        ...recovered,
      },
    })
    release.add('farewell', async () => {
      await publisher.publish({
        type: 'daemon.stopped',
        agentId: null,
        actor: 'daemon',
        payload: { pid: process.pid },
      })
    })
    log.info({ pid: process.pid, socket, multiplexer: multiplexer.name, ...recovered }, 'ready')
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
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => resolve())
  })
  const daemon = await startDaemon(options)
  await Promise.race([stopped, daemon.lost])
  await daemon.stop()
}
