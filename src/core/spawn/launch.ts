import { join } from 'node:path'
import type { Agent } from '../../domain/records.ts'
import type { LaunchPlan, LaunchRequest } from '../../adapters/agent-cli/agent-cli.ts'
import type { OpenPane } from '../../adapters/terminals/holder.ts'
import type { Config } from '../../config/schema.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { HEADLESS_PANE } from '../../domain/panes/headless-pane.ts'
import type { Configured, Deps } from '../deps.ts'
import { paneName } from '../panes/names.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { programOfRole } from '../agents/programs.ts'
import type { Token } from './token.ts'
import type { LimitWatch } from '../limits/limit-watch.ts'
import {
  confinementOf,
  unconfinedNotice,
  type Confinable,
  type SandboxLevel,
} from './confinement.ts'
import type { Slots } from './provision/slots.ts'
import { createOwnVariables, filledIn } from './provision/variables.ts'
import { hostedSession } from '../sessions/hosted-session.ts'
import { createStarted, type Launched, type Opened } from './launched.ts'

export interface Launcher {
  /** AGENT_CLI_MISSING, before anything is made, where the program can’t be found. */
  requireProgram(configured: Configured, cliName: string): Promise<void>
  /**
   * Name of the [agents.NAME] that runs a role, or `acp:NAME` of an [acp.NAME]. AGENT_CLI_MISSING
   * with what to write where none is set.
   */
  cliOfRole(config: Config, role: string, override?: string): string
  plan(configured: Configured, agent: Agent, options: LaunchOptions): Promise<LaunchPlan>
  /** Writes prompt, token and launch file, and opens the pane. */
  launch(
    configured: Configured,
    agent: Agent,
    options: LaunchOptions & { token: Token },
  ): Promise<Launched>
  /**
   * Runs the command of a process in its worktree. It has the environment of agents and no token:
   * it acts for nobody.
   */
  launchProcess(
    config: Config,
    agent: Agent,
    command: string,
  ): Promise<Pick<Launched, 'paneId' | 'pid'>>
}

export type LaunchOptions = Pick<
  LaunchRequest,
  'mode' | 'prompt' | 'session' | 'transcript' | 'model' | 'sessionMode' | 'maxTurns' | 'noTools'
>

/**
 * Longer than any of our tools may be asked to take: a program that gave up on one would miss its
 * answer. Seconds.
 */
const TOOL_TIMEOUT = 24 * 60 * 60

/** Where a launched program finds the daemon, and what it may see of the person’s environment. */
export interface LaunchEnvironment {
  socket: string
  agentPath: string
  /** Where MCP is served over HTTP; null where it isn’t. */
  mcpUrl: string | null
  /** Absolute path of hooks/program.sh. */
  hookScript: string
  freePort: () => Promise<number>
  /** Whether nobody listens on any of so many ports. */
  portsFree: (first: number, count: number) => Promise<boolean>
  /** What agents may see; `passes`: what their program needs beyond that. */
  environmentOf: (config: Config, passes?: readonly string[]) => Record<string, string>
  /** Has it run in a sandbox. SANDBOX_UNAVAILABLE with what to do, before anything is made. */
  confine: (program: Confinable) => Promise<Pick<Confinable, 'argv' | 'env'>>
}

export function createLauncher(
  deps: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'paths' | 'log'> &
    LaunchEnvironment & {
      panes: Pick<OwnPanes, 'find'>
      slots: Slots
      limits: Pick<LimitWatch, 'behind'>
    },
): Launcher {
  const { store, multiplexer, files, paths } = deps
  const started = createStarted(deps)
  const ownVariables = createOwnVariables(deps)

  const request = (
    config: Config,
    agent: Agent,
    options: LaunchOptions,
    level: SandboxLevel = 'off',
  ): LaunchRequest => ({
    ...options,
    confined: level !== 'off',
    agentId: agent.id,
    name: agent.name,
    role: agent.role,
    branch: agent.branch,
    worktree: agent.worktree,
    repository: paths.home,
    promptFile: files.promptFile(agent.id),
    folder: files.folder(agent.id),
    hookScript: deps.hookScript,
    mcpUrl: deps.mcpUrl,
    permissions: config.roles[agent.role]?.permissions ?? {
      policy: 'off',
      allow: [],
    },
    toolTimeout: TOOL_TIMEOUT,
    freePort: deps.freePort,
  })

  const requireCli = (configured: Configured, agent: Agent) => {
    if (agent.agentCli === null)
      throw new ExomonadError(
        'AGENT_CLI_MISSING',
        `${agent.name} has no agent program. Set [roles.${agent.role}] agent in ${paths.configFile}.`,
      )
    return configured.agentCli(agent.agentCli)
  }

  /**
   * Where agents that work for their parent have their place, as long as it has a terminal itself.
   */
  const besideParent = async (
    { kind, parentId }: Agent,
    layout: Config['multiplexer']['layout'],
  ): Promise<Pick<OpenPane, 'beside'>> => {
    if (layout !== 'pane-per-worker' || (kind !== 'worker' && kind !== 'fork') || parentId === null)
      return {}
    const parent = await store.agents.get(parentId)
    const pane =
      parent === undefined || parent.paneId?.startsWith(HEADLESS_PANE) === true
        ? undefined
        : await deps.panes.find(parent)
    return pane === undefined || pane.dead ? {} : { beside: pane.paneId }
  }

  /** One of them leaves room for others. Bytes. */
  const boundOf = ({ outputs_mb: all }: Config['retention']): number => (all * 1_000_000) / 4

  const outputOf = ({ id }: Agent): string => join(paths.outputs, `${id}.log`)

  /** As it is, or confined. */
  const held = async (
    level: SandboxLevel,
    {
      plan,
      ...program
    }: Pick<Confinable, 'agent' | 'config' | 'argv' | 'env'> & {
      plan?: LaunchPlan
    },
  ): Promise<Pick<Confinable, 'argv' | 'env'>> => {
    if (level === 'off') return program
    const { personal = [], listens = [], hosts = [] } = plan ?? {}
    return deps.confine({ ...program, level, personal, listens, hosts })
  }

  /** Writes what it reads as it starts, and opens its pane. */
  const open = async (
    configured: Configured,
    agent: Agent,
    { token, ...given }: LaunchOptions & { token: Token },
  ): Promise<Opened> => {
    const { config } = configured
    const cli = requireCli(configured, agent)
    const options = { ...given, prompt: cli.inert(given.prompt) }
    await files.writePrompt(agent.id, options.prompt)
    const authFile = await files.writeAuth(agent.id, token.secret)
    const level = await confinementOf(deps, config, agent)
    const asked = request(config, agent, options, level)
    const behind = await deps.limits.behind(config, agent)
    const planned = await cli.plan(asked)
    const notices = [...unconfinedNotice(paths, config, agent), ...behind.notices]
    const plan = { ...planned, warnings: [...planned.warnings, ...notices] }
    await files.writePlanned(agent.id, agent.worktree, plan.files, plan.links)
    await files.writeChannel(agent.id, plan.channel)
    const base = deps.environmentOf(config, cli.passes)
    const own = await ownVariables(agent, plan.env['PATH'] ?? base['PATH'] ?? '')
    const env = {
      ...base,
      ...filledIn(plan.env, own),
      ...own,
      EXOMONAD_TOKEN: token.secret,
      EXOMONAD_AUTH_FILE: authFile,
      EXOMONAD_SPOOL: paths.spool,
      ...(deps.mcpUrl === null ? {} : { EXOMONAD_MCP_URL: deps.mcpUrl }),
      EXOMONAD_STOP_TIMEOUT: String(Math.ceil(config.stop.timeout) + 5),
      // Its permission hook waits for a person only where one is asked.
      ...(asked.permissions.policy === 'ask'
        ? { EXOMONAD_PERMISSION_TIMEOUT: String(TOOL_TIMEOUT) }
        : {}),
    }
    const program = { agent, config, env, argv: plan.argv, plan }
    const { argv: inner, ...rest } = await held(level, program)
    const before = [...behind.argv, ...inner.slice(0, inner.length - plan.argv.length)]
    const argv = await files.writeLaunch(agent.id, { ...rest, argv: [...behind.argv, ...inner] })
    await cli.turn?.(asked)
    const pane = await multiplexer.open({
      ...{
        agentId: agent.id,
        cwd: agent.worktree,
        env: {},
        argv,
        columns: config.multiplexer.columns,
        rows: config.multiplexer.rows,
      },
      ...(plan.acp === undefined
        ? { name: paneName(agent), ...(await besideParent(agent, config.multiplexer.layout)) }
        : {
            name: agent.name,
            program: hostedSession(plan.acp, {
              root: agent.worktree,
              executable: join(deps.agentPath, 'exomonad'),
              env: rest.env,
              ...(before.length === 0 ? {} : { behind: before }),
              ...(level === 'off' ? {} : { confined: true }),
              daemon: {
                socket: deps.socket,
                authFile,
                spool: paths.spool,
                stopTimeout: config.stop.timeout,
              },
            }),
            output: outputOf(agent),
            outputBound: boundOf(config.retention),
          }),
    })
    return { pane, asked, plan }
  }

  return {
    requireProgram: async (configured, cliName) => {
      const found = await configured.agentCli(cliName).locate()
      if (found.kind === 'missing')
        throw new ExomonadError('AGENT_CLI_MISSING', found.reason, { agent: cliName })
    },
    cliOfRole: (config, role, override) => programOfRole(config, role, override, paths.configFile),
    plan: async (configured, agent, options) => {
      const cli = requireCli(configured, agent)
      const prompt = cli.inert(options.prompt)
      return cli.plan(request(configured.config, agent, { ...options, prompt }))
    },
    launchProcess: async (config, agent, command) => {
      const { multiplexer: size, retention } = config
      const base = deps.environmentOf(config)
      const program = await held(await confinementOf(deps, config, agent), {
        agent,
        config,
        env: { ...base, ...(await ownVariables(agent, base['PATH'] ?? '')) },
        argv: ['/bin/sh', '-c', command],
      })
      const { argv: behind } = await deps.limits.behind(config, agent)
      const argv = await files.writeLaunch(agent.id, {
        ...program,
        argv: [...behind, ...program.argv],
      })
      return multiplexer.open({
        ...{
          agentId: agent.id,
          name: agent.name,
          cwd: agent.worktree,
          env: {},
          argv,
          columns: size.columns,
          rows: size.rows,
        },
        ...{
          program: { kind: 'process' },
          output: outputOf(agent),
          outputBound: boundOf(retention),
        },
      })
    },
    launch: (configured, agent, options) =>
      started(
        agent,
        requireCli(configured, agent),
        (known) => open(configured, agent, { ...options, ...known }),
        options,
      ),
  }
}
