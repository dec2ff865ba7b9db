import process from 'node:process'
import { startPiped } from '../processes/start-piped.ts'
import { readVariables } from '../environment.ts'
import { ExomonadError } from '../errors.ts'
import { readVersion } from '../own-package.ts'
import { createLanes } from './acp-lanes.ts'
import type { AcpServerDeps } from './acp-server-config.ts'
import type { ACPClient, ACPPermissionPolicy } from './acp-types.ts'
import { createClientOf } from './client.ts'
import type { RegistryServer } from '../mcp/registry-server.ts'

export interface AcpServerOptions {
  /** What `serverName` calls it. */
  readonly name: string
  /**
   * A program that speaks the Agent Client Protocol on its standard streams: `gemini`, `opencode`,
   * `claude-agent-acp`, `codex-acp` …
   */
  readonly command: string
  /** `['--acp']` for gemini, `['acp']` for opencode. */
  readonly args?: readonly string[] | undefined
  /** Where its sessions work; default: this process’s folder. */
  readonly cwd?: string | undefined
  readonly env?: Readonly<Record<string, string>> | undefined
  /** Whether `env` goes on top of this process’s environment; true. */
  readonly inheritEnv?: boolean | undefined
  /** What `agentId` calls its agent; default: the server’s name. */
  readonly agentId?: string | undefined
  /**
   * Of its new sessions, in the agent’s own words; default: the agent’s. What it does not offer
   * fails the call, with what it does.
   */
  readonly model?: string | undefined
  readonly mode?: string | undefined
  /** Longest that it may take to start, and to begin a session. Milliseconds; 60,000. */
  readonly startTimeout?: number | undefined
  /**
   * A process for each session at a time. Default: only for OpenCode, whose sessions would
   * otherwise have each other’s tools.
   */
  readonly processPerSession?: boolean | undefined
}

export interface AcpClientOptions {
  readonly servers: readonly AcpServerOptions[]
  /** Default: the first. */
  readonly defaultServer?: string | undefined
  /**
   * Who decides over what agents ask leave for. Default: the registry’s tools are allowed, and
   * nothing else.
   */
  readonly permissionPolicy?: ACPPermissionPolicy | undefined
}

/**
 * A client of agents that speak the Agent Client Protocol: one process for each server (of OpenCode
 * for each session), any number of sessions. Processes run until `dispose`, or until this process
 * ends its side. Throws INVALID_ARG where no server is named, or two by one name.
 */
export function createAcpClient(options: AcpClientOptions): ACPClient {
  const names = options.servers.map(({ name }) => name)
  if (names.length === 0)
    throw new ExomonadError(
      'INVALID_ARG',
      'servers is empty: name at least one, with the command that starts it.',
    )
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined)
    throw new ExomonadError(
      'INVALID_ARG',
      `Two servers are named ${twice}: give each a name of its own.`,
    )

  let policy: ACPPermissionPolicy | null = options.permissionPolicy ?? null
  let registry: Promise<RegistryServer> | undefined
  const variables = readVariables()
  const deps: AcpServerDeps = {
    // The protocol’s schemas take a while to load, and who imports the package for something else
    // needs none.
    open: async (opening) => (await import('../acp/connection.ts')).openAcpConnection(opening),
    start: startPiped,
    registry: () =>
      (registry ??= import('../mcp/registry-server.ts').then(({ startRegistryServer }) =>
        startRegistryServer(readVersion()),
      )),
    policy: () => policy,
  }
  const servers = options.servers.map(
    ({
      name,
      command,
      args = [],
      cwd = process.cwd(),
      env = {},
      inheritEnv = true,
      agentId = name,
      ...rest
    }) => {
      const { model, mode, processPerSession, startTimeout } = rest
      return createLanes(
        {
          name,
          agentId,
          argv: [command, ...args],
          cwd,
          env: { ...(inheritEnv ? variables : {}), ...env },
          model,
          mode,
          processPerSession,
          startTimeout,
        },
        deps,
      )
    },
  )
  return createClientOf({
    servers,
    defaultServer: options.defaultServer,
    setPolicy: (next) => void (policy = next),
    close: async () => {
      await Promise.all(servers.map((server) => server.close()))
      await (await registry)?.close()
    },
  })
}
