import { readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { acpCliName } from '../../../domain/acp-names.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { AcpMcpServer, AcpLaunch } from '../../terminals/headless-program.ts'
import type { AgentCli, LaunchPlan, LaunchRequest, LiveAgent, NativeChannel } from '../agent-cli.ts'
import { acpHooks } from './hooks.ts'
import { locateProgram } from '../locate.ts'
import { directToLoopback } from '../network.ts'
import { inertEveryAt } from '../../../sanitize/inert.ts'
import type { AcpCliConfig, AcpCliOptions, AcpProgram } from './options.ts'
import { versionFinding } from './versions.ts'

/**
 * How long a start is waited for, milliseconds: what fails by then fails the spawn; what takes
 * longer goes on.
 */
const START_LIMIT = 20_000
const LOOK_EVERY = 50

/** What `exomonad mcp` needs, by name: not every agent hands its own environment on. */
const STDIO_VARIABLES = [
  'EXOMONAD_SOCKET',
  'EXOMONAD_TOKEN',
  'EXOMONAD_AUTH_FILE',
  'EXOMONAD_AGENT_ID',
  'PATH',
]
/**
 * Stands for a variable of the agent’s environment, which only its launch knows: replaced there
 * (core/launch.ts).
 */
const variable = (name: string): string => `\${${name}}`

function serversFor({ mcpUrl, noTools }: LaunchRequest): AcpMcpServer[] {
  if (noTools === true) return []
  const stdio: AcpMcpServer = {
    type: 'stdio',
    name: 'exomonad',
    command: 'exomonad',
    args: ['mcp'],
    env: STDIO_VARIABLES.map((name) => ({ name, value: variable(name) })),
  }
  if (mcpUrl === null) return [stdio]
  return [
    {
      type: 'http',
      name: 'exomonad',
      url: mcpUrl,
      headers: [{ name: 'Authorization', value: `Bearer ${variable('EXOMONAD_TOKEN')}` }],
    },
    stdio,
  ]
}

/** Of what its parent wrote as much, characters, from the end. */
const MOST_INHERITED = 100_000

/**
 * What a fork’s prompt points to comes along: its file requests are confined to its worktree, and
 * that file is elsewhere.
 */
async function promptOf({ prompt, transcript }: LaunchRequest): Promise<string | null> {
  const inherited =
    transcript === undefined ? '' : await readFile(transcript, 'utf8').catch(() => '')
  if (inherited.trim() === '') return prompt.trim() === '' ? null : prompt
  return `${prompt}\n\nThe end of ${transcript}, so that you need not read it:\n\n${inherited.slice(-MOST_INHERITED)}`
}

/** The role’s policy goes first; what it leaves open is decided by [acp.NAME]. */
function permissionFor(
  { permissions }: LaunchRequest,
  config: AcpCliConfig,
): Pick<AcpLaunch, 'permission' | 'allow'> {
  switch (permissions.policy) {
    case 'all':
      return { permission: 'allow', allow: [] }
    case 'ask':
      return { permission: 'ask', allow: config.allow }
    case 'list':
      return { permission: 'ask', allow: [...permissions.allow, ...config.allow] }
    case 'off':
      return { permission: config.permission, allow: config.allow }
  }
}

/** A program that nobody here knows is taken for one that looks for names the most. */
const UNKNOWN: AcpProgram = {
  inert: inertEveryAt,
  askingMode: null,
  environment: async () => ({ env: {} }),
  login: async () => [],
}

/**
 * Any program that speaks the Agent Client Protocol, held by the detached host: it has no terminal,
 * its messages are prompts, and what happens in it is reported by the host.
 */
export function createAcpCli(options: AcpCliOptions): AgentCli {
  const { name, config, sessions } = options
  const cliName = acpCliName(name)
  const program = options.program ?? UNKNOWN
  const locate = () =>
    locateProgram(config.command[0] ?? '', {
      agent: name,
      table: 'acp',
      path: options.path,
      home: options.home,
    })
  const sessionOf = async ({ paneId }: LiveAgent) =>
    paneId === undefined || paneId === null ? undefined : sessions.session(paneId)

  const plan = async (request: LaunchRequest): Promise<LaunchPlan> => {
    const found = await locate()
    if (found.kind === 'missing')
      throw new ExomonadError('AGENT_CLI_MISSING', found.reason, { agent: cliName })
    const load = request.mode === 'resume' ? (request.session?.id ?? null) : null
    const permissions = permissionFor(request, config)
    const environment = await program.environment(options, request, permissions.permission)
    const lost = {
      start: [],
      fork: [
        `${request.name} starts with a fresh conversation: sessions of the Agent Client Protocol can’t be forked.`,
      ],
      resume:
        load === null
          ? [
              `${request.name} starts with a fresh conversation: no session is known that could be resumed.`,
            ]
          : [],
    }
    return {
      argv: [found.path, ...config.command.slice(1)],
      env: {
        ...environment.env,
        ...directToLoopback(options.variables),
        ...config.env,
        ...environment.merged,
      },
      files: [],
      session: load === null ? 'fresh' : 'resumed',
      sessionId: load,
      channel: null,
      warnings: lost[request.mode],
      acp: {
        mcpServers: environment.namesTools === true ? [] : serversFor(request),
        prompt: await promptOf(request),
        load,
        model: request.model ?? config.model ?? null,
        mode: request.sessionMode ?? config.mode ?? program.askingMode,
        maxTurns: request.maxTurns ?? null,
        ...permissions,
      },
    }
  }

  const settle: NonNullable<AgentCli['settle']> = async (live, request, { acp }) => {
    for (const until = Date.now() + START_LIMIT; Date.now() < until; await delay(LOOK_EVERY)) {
      const session = await sessionOf(live)
      // One that has ended since did begin: its end is reported as every other.
      if (session === undefined || session.state === 'starting' || session.sessionId === null) {
        const pane =
          live.paneId === undefined || live.paneId === null
            ? undefined
            : await sessions.inspect(live.paneId)
        if (pane === undefined || pane.dead)
          return {
            notUp: `The program of [acp.${name}] ended before its session began`,
            again: () => 'no',
          }
        continue
      }
      const load = acp?.load ?? null
      const isFresh = load !== null && session.sessionId !== load
      const warnings = isFresh
        ? [
            `${request.name} starts with a fresh conversation: [acp.${name}] could not take up session ${load}.`,
          ]
        : []
      return { session: { id: session.sessionId, transcript: null }, forked: false, warnings }
    }
    return {
      session: null,
      forked: false,
      warnings: [
        `[acp.${name}] is still starting after ${START_LIMIT / 1000} s; \`exomonad attach\` shows what it says.`,
      ],
    }
  }

  const channel: NativeChannel = {
    midTurn: false,
    send: async ({ paneId }, text) =>
      paneId === undefined || paneId === null
        ? { kind: 'refused', reason: 'it does not run' }
        : sessions.prompt(paneId, text),
  }

  return {
    name: cliName,
    adapter: 'acp',
    inert: program.inert,
    acks: true,
    reportsState: true,
    enterDelay: 0,
    pasteLimit: null,
    passes: options.passes,
    hooks: acpHooks,
    hasNoTerminal: true,
    channel,
    plan,
    locate,
    settle,
    diagnose: async () => {
      const found = await locate()
      if (found.kind === 'missing') return [{ status: 'problem', found: found.reason }]
      return [...(await versionFinding(found.path)), ...(await program.login(options))]
    },
    observe: async (live) => {
      const session = await sessionOf(live)
      if (session === undefined)
        return { state: 'unknown', reason: 'its session is gone', source: 'session' }
      if (session.state === 'starting')
        return { state: 'running', reason: 'it begins', source: 'session' }
      return {
        state: session.state,
        reason: session.state === 'waiting' ? session.reason : null,
        source: 'session',
      }
    },
    // Nothing is ever typed: what waits goes by its channel.
    inputLine: () => 'unseen',
    mentions: async ({ paneId }, words) => {
      const found =
        paneId === undefined || paneId === null ? null : await sessions.mentions(paneId, words)
      return found === null ? null : new Set(found)
    },
    usage: async (live) => (await sessionOf(live))?.usage ?? null,
  }
}
