import type { AgentCli } from '../../adapters/agent-cli/agent-cli.ts'
import type { Configured, Settings } from '../deps.ts'
import { acpFor } from '../../adapters/agent-cli/known.ts'
import { acpCliName, acpNameOf } from '../../domain/acp-names.ts'
import type { AcpMcpServer } from '../../adapters/terminals/headless-program.ts'
import type { Agent } from '../../domain/records.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * Which program runs an agent, as the configuration names it: NAME of [agents.NAME], or `acp:NAME`
 * of [acp.NAME].
 */
export const runtimeOf = (cliName: string): Agent['runtime'] =>
  acpNameOf(cliName) === undefined ? 'pane' : 'acp'

/** Of the tools of its role only these, as the program’s own table says; null for all. */
export const toolsOf = (
  config: Pick<Config, 'agents' | 'acp'>,
  cliName: string,
): readonly string[] | null => {
  const acp = acpNameOf(cliName)
  return (acp === undefined ? config.agents[cliName] : config.acp[acp])?.tools ?? null
}

/**
 * What runs a role; `override` in the place of the agent that the configuration gives it, by its
 * runtime even so. AGENT_CLI_MISSING with what to write where there is none.
 */
export function programOfRole(
  config: Config,
  role: string,
  override: string | undefined,
  configFile: string,
): string {
  const settings = config.roles[role]
  const name = override ?? settings?.agent
  if (name === undefined) {
    throw new ExomonadError(
      'AGENT_CLI_MISSING',
      `No program is set for the role "${role}". Write [roles.${role}] agent = "NAME" and [agents.NAME] in ${configFile}; the comments in that file show how. Where one was installed since, \`exomonad init\` does it.`,
      { role },
    )
  }
  if (settings?.runtime !== 'acp' && acpNameOf(name) === undefined) return name
  const acp = acpFor(config, name)
  if (acp === undefined) {
    throw new ExomonadError(
      'AGENT_CLI_MISSING',
      `"${name}" has no program that speaks the Agent Client Protocol, and the role "${role}" has runtime = "acp". There are ${Object.keys(config.acp).join(', ')}; write an [acp.NAME] in ${configFile}, or runtime = "pane".`,
      { role, agent: name },
    )
  }
  return acpCliName(acp)
}

/**
 * `${NAME}` in what a server is given stands for a variable of the agent: only its launch knows its
 * token. `exomonad` is the one beside the daemon.
 */
export function withVariables(
  servers: readonly AcpMcpServer[],
  env: Readonly<Record<string, string>>,
  exomonad: string,
): AcpMcpServer[] {
  const fill = (text: string): string =>
    text.replace(/\$\{([A-Z_]+)\}/g, (whole, name: string) => env[name] ?? whole)
  const filled = (pairs: readonly { readonly name: string; readonly value: string }[]) =>
    pairs.map(({ name, value }) => ({ name, value: fill(value) }))
  return servers.map((server) =>
    server.type === 'http'
      ? { ...server, headers: filled(server.headers) }
      : {
          ...server,
          command: server.command === 'exomonad' ? exomonad : server.command,
          env: filled(server.env),
        },
  )
}

/** The program that runs an agent; undefined where none is set, or the one that is set is gone. */
export function cliOf(
  configured: Configured,
  { agentCli }: Pick<Agent, 'agentCli'>,
): AgentCli | undefined {
  if (agentCli === null) return undefined
  try {
    return configured.agentCli(agentCli)
  } catch {
    return undefined
  }
}

/** The same, for whoever begins with it; undefined also where the configuration can’t be read. */
export const cliNow = async (
  settings: Pick<Settings, 'snapshot'>,
  agent: Pick<Agent, 'agentCli'>,
): Promise<AgentCli | undefined> => {
  if (agent.agentCli === null) return undefined
  const configured = await settings.snapshot().catch(() => undefined)
  return configured === undefined ? undefined : cliOf(configured, agent)
}

/** Name of the adapter that runs an agent; null where none is known. */
export const adapterOf = (configured: Configured, agent: Agent): string | null =>
  cliOf(configured, agent)?.adapter ?? null
