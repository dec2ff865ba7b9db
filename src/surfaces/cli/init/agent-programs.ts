import { acpCliName } from '../../../domain/acp-names.ts'
import type { AgentCli, CliFinding } from '../../../adapters/agent-cli/agent-cli.ts'
import type { AgentConfig, Config } from '../../../config/schema.ts'
import { AGENT_PRESETS, chosenAcp, chosenAgents } from '../../../config/presets.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { CliContext } from '../context.ts'

/** One agent program as it is on this machine. */
export interface AgentProgram {
  /** NAME of [agents.NAME], or `acp:NAME` of [acp.NAME]. */
  readonly name: string
  readonly adapter: AgentConfig['adapter'] | 'acp'
  /** Absolute; null where it was not found. */
  readonly path: string | null
  /** Why it was not found. */
  readonly missing: string | null
  /** What its adapter found; empty where it was not run. */
  readonly findings: readonly CliFinding[]
}

/**
 * Looks for the programs of these [agents.NAME] and, where `run` allows it, has their adapters look
 * closer, which may start them (for their version, say).
 */
export const lookAtPrograms = (
  context: CliContext,
  agents: Readonly<Record<string, AgentConfig>>,
  options: { readonly names: readonly string[]; readonly home: string; readonly run: boolean },
): Promise<AgentProgram[]> =>
  Promise.all(
    options.names.flatMap((name) => {
      const agent = agents[name]
      return agent === undefined
        ? []
        : [
            context.host
              .agentCli(name, agent, options.home)
              .then((cli) => lookAt(cli, agent.adapter, options)),
          ]
    }),
  )

/** The same for these [acp.NAME]. */
export const lookAtAcpPrograms = (
  context: CliContext,
  acp: Config['acp'],
  options: { readonly names: readonly string[]; readonly home: string; readonly run: boolean },
): Promise<AgentProgram[]> =>
  Promise.all(
    options.names.flatMap((name) => {
      const config = acp[name]
      return config === undefined
        ? []
        : [
            context.host
              .acpCli(name, config, options.home)
              .then((cli) => lookAt(cli, 'acp', options)),
          ]
    }),
  )

async function lookAt(
  cli: AgentCli,
  adapter: AgentProgram['adapter'],
  options: { home: string; run: boolean },
): Promise<AgentProgram> {
  const located = await cli.locate()
  const program = { name: cli.name, adapter }
  if (located.kind === 'missing')
    return { ...program, path: null, missing: located.reason, findings: [] }
  const findings = options.run
    ? await cli.diagnose(options.home).catch((error: unknown) => [failed(error)])
    : []
  return { ...program, path: located.path, missing: null, findings }
}

const failed = (error: unknown): CliFinding => ({
  status: 'warning',
  found: `could not be looked at: ${asExomonadError(error).message}`,
})

/** What would keep the program from working that exomonad can’t fix. */
export const obstacles = ({ findings }: AgentProgram): CliFinding[] =>
  findings.filter(({ status, repair }) => status === 'problem' && repair === undefined)

/**
 * Of the agent CLIs exomonad knows, those on this machine, the best to take first: one that is
 * ready, then as they are listed.
 */
export async function findAgentClis(
  context: CliContext,
  agents: Readonly<Record<string, AgentConfig>>,
  home: string,
): Promise<AgentProgram[]> {
  const programs = await lookAtPrograms(context, agents, {
    names: Object.keys(AGENT_PRESETS),
    home,
    run: true,
  })
  return programs
    .filter(({ path }) => path !== null)
    .sort((one, other) => obstacles(one).length - obstacles(other).length)
}

/**
 * Those that the configuration chose, and known ones that are on this machine besides; of those
 * that speak the Agent Client Protocol only the chosen: most are the same programs once more.
 */
export async function programsOf(
  context: CliContext,
  config: Config,
  home: string,
  run: boolean,
): Promise<AgentProgram[]> {
  const chosen = chosenAgents(config)
  const [programs, acp] = await Promise.all([
    lookAtPrograms(context, config.agents, { names: Object.keys(config.agents), home, run }),
    lookAtAcpPrograms(context, config.acp, { names: chosenAcp(config), home, run }),
  ])
  return [...programs.filter(({ name, path }) => chosen.includes(name) || path !== null), ...acp]
}

/** What the configuration chose, as programs are called. */
export const chosenPrograms = (config: Config): string[] => [
  ...chosenAgents(config),
  ...chosenAcp(config).map(acpCliName),
]

/** Something that can be fixed by writing into the person’s own configuration. */
export interface Repair {
  readonly agent: string
  readonly found: string
  readonly what: string
  readonly repair: () => Promise<string>
}

export const repairsOf = (programs: readonly AgentProgram[]): Repair[] =>
  programs.flatMap(({ name, findings }) =>
    findings.flatMap(({ found, fix, repair }) =>
      repair === undefined
        ? []
        : [{ agent: name, found, what: fix ?? 'exomonad can fix it', repair }],
    ),
  )
