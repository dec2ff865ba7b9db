import { chmod, copyFile, rename, rm, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { acpNameOf } from '../domain/acp-names.ts'
import type { AcpSessions } from '../adapters/agent-cli/acp/options.ts'
import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import { exec } from '../processes/exec.ts'
import type { Environment } from '../config/environment.ts'
import { deepFreeze, loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { assertTrusted, checkTrust, rememberRan, type TrustSubject } from '../config/trust.ts'
import type { Configured, Settings } from '../core/deps.ts'
import { ExomonadError } from '../domain/errors.ts'
import { ALL_TOOLS } from '../tools/all.ts'
import { loadAgentClis, NO_SESSIONS } from './agent-clis.ts'

export interface LiveSettings extends Settings {
  /** As last read; for what can’t wait. */
  readonly current: () => Config
  /** The same with its programs. */
  readonly lastRead: () => Configured
  /**
   * Where the store is to be, at the start. A file that nobody ever trusted does not say to which
   * database everything goes: NOT_TRUSTED.
   */
  readonly store: () => Promise<Config['store']>
  /** What holds sessions without a terminal: what it is depends on the settings. */
  holdSessions(sessions: AcpSessions): void
}

/**
 * Many editors cut a file to nothing and write it anew: what was changed so shortly ago is not read
 * yet, or half of it would count for a moment, with defaults in place of the rest. Milliseconds.
 */
const AT_REST = 50
/** An empty one is hardly meant so, and whoever writes it may have to wait for a processor. */
const EMPTY_AT_REST = 1_000
/** One that is written all the time is taken as it is. */
const MOST_WAITS = 20

/**
 * The configuration as it is on disk: read again when the file changes, so that an edit needs no
 * restart. A change that is not trusted does not count before it is: what agents may do can’t be
 * widened by what one of them commits. Where the file is gone the last one goes on.
 */
export async function createSettings(deps: {
  environment: Environment
  trust: TrustSubject
  node: string
}): Promise<LiveSettings> {
  const { configFile, keptConfigFile } = deps.trust.paths
  const agentClis = await loadAgentClis()
  const toolNames = ALL_TOOLS.map((tool) => tool.name)
  /** Its version, and how long to wait until it is surely written. */
  const look = async (): Promise<{ version: string; wait: number }> => {
    try {
      const { mtimeMs, size, ino } = await stat(configFile)
      const age = Date.now() - mtimeMs
      const rest = size === 0 ? EMPTY_AT_REST : AT_REST
      // Of another machine's clock nothing is known.
      return { version: `${mtimeMs}:${size}:${ino}`, wait: age < -rest ? 0 : rest - age }
    } catch {
      return { version: 'absent', wait: 0 }
    }
  }
  /** The version, at rest where it is another than these. */
  const stamp = async (known: readonly string[] = []): Promise<string> => {
    for (let waits = 0; ; waits += 1) {
      const { version, wait } = await look()
      if (wait <= 0 || known.includes(version) || waits === MOST_WAITS) return version
      await delay(wait)
    }
  }
  const isTrusted = (): Promise<boolean> =>
    checkTrust(deps.trust).then(
      async ({ trusted }) => {
        if (trusted) await rememberRan(deps.trust).catch(() => undefined)
        return trusted
      },
      () => false,
    )
  const exists = (file: string): Promise<boolean> =>
    stat(file).then(
      () => true,
      () => false,
    )
  /** Whole or not at all; a full disk must not take the configuration away. */
  const keepCopy = async (): Promise<void> => {
    const fresh = `${keptConfigFile}.new`
    try {
      await copyFile(configFile, fresh)
      await chmod(fresh, 0o600)
      await rename(fresh, keptConfigFile)
    } catch {
      await rm(fresh, { force: true })
    }
  }
  /**
   * Parsed, from the copy where the file is gone. `keep` where it may be used again without the
   * file.
   */
  const load = async (keep: boolean): Promise<Config> => {
    if (!(await exists(configFile)))
      return loadConfig((await exists(keptConfigFile)) ? keptConfigFile : configFile, { toolNames })
    const config = await loadConfig(configFile, { toolNames })
    if (keep) await keepCopy()
    return config
  }
  const first = await stamp()
  const trustedAtFirst = await isTrusted()
  /**
   * Agents that run already go on by what was trusted last; where nothing ever was, they are
   * granted nothing.
   */
  const trustedLast = async (): Promise<Config> => {
    const kept = (await exists(keptConfigFile))
      ? await loadConfig(keptConfigFile, { toolNames }).catch(() => undefined)
      : undefined
    return kept ?? deepFreeze(withoutGrants(await load(false)))
  }
  /** The version that is in use, and one that is passed over until it is trusted. */
  let readAt = trustedAtFirst ? first : ''
  let held = trustedAtFirst ? '' : first
  const atFirst = trustedAtFirst ? await load(true) : await trustedLast()
  let sessions = NO_SESSIONS

  const create = (name: string, { agents, acp }: Pick<Config, 'agents' | 'acp'>): AgentCli => {
    const { path, home: userHome, variables } = deps.environment
    const launchEnvironment = {
      path,
      node: deps.node,
      home: deps.trust.paths.home,
      userHome,
      variables,
      exec,
    }
    const acpName = acpNameOf(name)
    if (acpName !== undefined) {
      const session = Object.hasOwn(acp, acpName) ? acp[acpName] : undefined
      if (session === undefined) throw missing(configFile, 'acp', acpName, Object.keys(acp))
      return agentClis.createAcp({
        ...launchEnvironment,
        name: acpName,
        config: session,
        sessions: late(() => sessions),
      })
    }
    const agent = Object.hasOwn(agents, name) ? agents[name] : undefined
    if (agent === undefined) throw missing(configFile, 'agents', name, Object.keys(agents))
    return agentClis.create({ ...launchEnvironment, name, config: agent })
  }

  /** A program is made once for each configuration: it may keep what it found out. */
  const configure = (config: Config): Configured => {
    const clis = new Map<string, AgentCli>()
    return {
      config,
      agentCli: (name) => {
        const known = clis.get(name)
        if (known !== undefined) return known
        const cli = create(name, config)
        clis.set(name, cli)
        return cli
      },
    }
  }
  let configured = configure(atFirst)

  const snapshot = async (): Promise<Configured> => {
    const now = await stamp([readAt, held])
    if (now === readAt || now === held) return configured
    if (!(await isTrusted())) {
      held = now
      return configured
    }
    configured = configure(await load(true))
    readAt = now
    return configured
  }

  return {
    current: () => configured.config,
    store: async () => {
      const { store } = configured.config
      if (store.kind !== 'sqlite' && !trustedAtFirst && !(await exists(keptConfigFile)))
        await assertTrusted(deps.trust)
      return store
    },
    lastRead: () => configured,
    holdSessions: (held) => {
      sessions = held
    },
    snapshot,
    requireTrust: async () => {
      await assertTrusted(deps.trust)
      held = ''
    },
  }
}

const missing = (
  configFile: string,
  table: 'agents' | 'acp',
  name: string,
  names: readonly string[],
): ExomonadError =>
  new ExomonadError(
    'AGENT_CLI_MISSING',
    `There is no [${table}.${name}] in ${configFile}${names.length > 0 ? `; there are ${names.join(', ')}` : ''}. The comments in that file show how to write one.`,
    { agent: name },
  )

/** The sessions as they are when they are asked. */
const late = (sessions: () => AcpSessions): AcpSessions => ({
  session: (paneId) => sessions().session(paneId),
  inspect: (paneId) => sessions().inspect(paneId),
  capture: (paneId, options) => sessions().capture(paneId, options),
  mentions: (paneId, words) => sessions().mentions(paneId, words),
  prompt: (paneId, text) => sessions().prompt(paneId, text),
})

/**
 * For a daemon that starts with a configuration nobody trusted yet, such as one that a pull
 * brought: it runs nothing, and neither what agents may do nor what their programs are given comes
 * from there, nor to whom a token is shown.
 */
const withoutGrants = (config: Config): Config => ({
  ...config,
  merge: { ...config.merge, agents_may_force: false },
  environment: { ...config.environment, pass: [] },
  notify: { bell: config.notify.bell, targets: {} },
  forge: {
    ...config.forge,
    github: withoutAddresses(config.forge.github),
    gitea: { delete_branch: config.forge.gitea.delete_branch },
  },
  roles: Object.fromEntries(
    Object.entries(config.roles).map(([name, { tools: _, ...role }]) => [
      name,
      { ...role, permissions: { policy: 'off' as const, allow: [] } },
    ]),
  ),
  agents: Object.fromEntries(
    Object.entries(config.agents).map(([name, agent]) => [name, { ...agent, args: [], env: {} }]),
  ),
  acp: Object.fromEntries(
    Object.entries(config.acp).map(([name, { mode: _, ...acp }]) => [
      name,
      { ...acp, permission: 'ask' as const, allow: [], env: {} },
    ]),
  ),
})

const withoutAddresses = ({
  remote: _remote,
  host: _host,
  repository: _repository,
  api_url: _apiUrl,
  graphql_url: _graphqlUrl,
  token_file: _tokenFile,
  app_id: _appId,
  app_key_file: _appKeyFile,
  app_installation_id: _appInstallation,
  webhook_port: _webhookPort,
  webhook_host: _webhookHost,
  webhook_secret_file: _webhookSecretFile,
  // Nor is anything spawned by what nobody trusted.
  spawn_label: _spawnLabel,
  ...rest
}: Config['forge']['github']): Config['forge']['github'] => ({
  ...rest,
  trusted_bots: [],
  webhook_host: '127.0.0.1',
})
