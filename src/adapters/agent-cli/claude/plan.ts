import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { LaunchPlan, LaunchRequest, PlannedFile } from '../agent-cli.ts'
import { locateProgram } from '../locate.ts'
import { directToLoopback } from '../network.ts'
import type { AgentCliOptions } from '../options.ts'
import { claudeHome } from './home.ts'
import { HOOK_TIMEOUTS } from './hooks.ts'
import { hostsOf, personalOf } from './personal.ts'
import { undecidedServers } from './project-servers.ts'
import { awaitTranscript, findTranscript, freeSessionId } from './sessions.ts'

/** A longer prompt is read from its file: one argument may have 128 KiB on Linux. Bytes. */
const MAX_PROMPT = 100_000

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

function settings(
  request: LaunchRequest,
  promptInFile: boolean,
  notUsed: readonly string[],
): Record<string, unknown> {
  const { permissions, hookScript, toolTimeout, transcript } = request
  const readable = [
    ...(promptInFile ? [request.promptFile] : []),
    ...(transcript === undefined ? [] : [transcript]),
  ]
  const hook = (event: string, timeout: number) => [
    { hooks: [{ type: 'command', command: `sh ${quoted(hookScript)} ${event}`, timeout }] },
  ]
  return {
    hooks: Object.fromEntries(
      Object.entries(HOOK_TIMEOUTS).map(([event, timeout]) => [
        event,
        // Its answer comes from a person.
        hook(
          event,
          event === 'PermissionRequest' && permissions.policy === 'ask' ? toolTimeout : timeout,
        ),
      ]),
    ),
    permissions: {
      allow: [
        'mcp__exomonad',
        ...readable.map((file) => `Read(/${file})`),
        ...(permissions.policy === 'list' ? permissions.allow : []),
      ],
    },
    // Nobody is there to be asked, and none is used unasked.
    ...(notUsed.length === 0 ? {} : { disabledMcpjsonServers: notUsed }),
    ...(permissions.policy === 'all' ? { skipDangerousModePermissionPrompt: true } : {}),
  }
}

/**
 * exomonad’s tools: there from the first turn on (without alwaysLoad they hide behind a search),
 * and given the time that the longest takes.
 */
const server = ({ mcpUrl, toolTimeout }: LaunchRequest): Record<string, unknown> => ({
  ...(mcpUrl === null
    ? { type: 'stdio', command: 'exomonad', args: ['mcp'] }
    : { type: 'http', url: mcpUrl, headers: { Authorization: 'Bearer ${EXOMONAD_TOKEN}' } }),
  alwaysLoad: true,
  timeout: (toolTimeout + 60) * 1000,
})

/**
 * Mode flags for what the role’s policy says; `off` and `list` leave the mode to the person’s own
 * settings.
 */
function modeFlags({ permissions }: LaunchRequest): string[] {
  if (permissions.policy === 'all') return ['--dangerously-skip-permissions']
  // Its default lets a model of its own decide what a person would be asked.
  return permissions.policy === 'ask' ? ['--permission-mode', 'default'] : []
}

function environment(
  options: AgentCliOptions,
  request: LaunchRequest,
  isRoot: boolean,
): Record<string, string> {
  return {
    DISABLE_AUTOUPDATER: '1',
    // A call that takes minutes would go on in the background, and its turn without its result.
    CLAUDE_CODE_MCP_AUTO_BACKGROUND_MS: '0',
    // Guesses at what a person might type next would stand in a box that nobody types in, and cost
    // a request each.
    CLAUDE_CODE_ENABLE_PROMPT_SUGGESTION: 'false',
    // A long conversation that rested for an hour would be asked about when it is taken up again.
    CLAUDE_CODE_RESUME_THRESHOLD_MINUTES: '1000000000',
    ...directToLoopback(options.variables),
    // It refuses to skip permissions as root otherwise.
    ...(request.permissions.policy === 'all' && isRoot ? { IS_SANDBOX: '1' } : {}),
    ...options.config.env,
  }
}

export async function planClaude(
  options: AgentCliOptions,
  request: LaunchRequest,
  isRoot: boolean,
): Promise<LaunchPlan> {
  const { name, config } = options
  const [program = 'claude', ...before] = config.command
  const found = await locateProgram(program, {
    agent: name,
    path: options.path,
    home: options.home,
  })
  if (found.kind === 'missing')
    throw new ExomonadError('AGENT_CLI_MISSING', found.reason, { agent: name })

  const home = claudeHome(options)
  const { folder } = home
  const transcript =
    request.mode === 'start' || request.session === null
      ? null
      : await (request.mode === 'fork' ? awaitTranscript : findTranscript)(folder, request.session)
  const origin = transcript === null || request.session === null ? null : request.session.id
  const own =
    request.mode === 'resume' && origin !== null
      ? origin
      : await freeSessionId(folder, request.agentId)
  const conversation =
    origin === null
      ? ['--session-id', own]
      : request.mode === 'resume'
        ? ['--resume', origin]
        : ['--resume', origin, '--fork-session', '--session-id', own]
  const warnings =
    request.mode === 'start' || origin !== null
      ? []
      : [
          request.session === null
            ? `${request.name} starts with a fresh conversation: no session is known that could be ${request.mode === 'fork' ? 'inherited' : 'resumed'}.`
            : `${request.name} starts with a fresh conversation: session ${request.session.id.slice(0, 80)} is not below ${join(folder, 'projects')}, or can’t be read.`,
        ]

  const promptInFile = Buffer.byteLength(request.prompt) > MAX_PROMPT
  const notUsed = await undecidedServers(home, request.repository, request.worktree)
  const settingsFile: PlannedFile = {
    path: join(request.folder, 'claude-settings.json'),
    content: json(settings(request, promptInFile, notUsed)),
  }
  const mcpFile: PlannedFile = {
    path: join(request.folder, 'claude-mcp.json'),
    content: json({ mcpServers: { exomonad: server(request) } }),
  }
  return {
    argv: [
      found.path,
      ...before,
      '--settings',
      settingsFile.path,
      '--mcp-config',
      mcpFile.path,
      ...conversation,
      ...(config.model === undefined ? [] : ['--model', config.model]),
      ...modeFlags(request),
      ...config.args,
      ...promptArguments(
        promptInFile
          ? `Your task is in the file ${request.promptFile}. Read all of it before you do anything else.`
          : request.prompt,
      ),
    ],
    env: environment(options, request, isRoot),
    files: [settingsFile, mcpFile],
    session: origin === null ? 'fresh' : request.mode === 'resume' ? 'resumed' : 'forked',
    sessionId: own,
    channel: null,
    warnings,
    ...(request.confined === true && {
      personal: personalOf(home, request.worktree, transcript),
      hosts: hostsOf(home.variable),
    }),
  }
}

/**
 * After `--` nothing is an option; a `/`, even after blanks, would still be a command of the
 * program’s own.
 */
const promptArguments = (prompt: string): string[] =>
  prompt.trim() === '' ? [] : ['--', /^\s*\//.test(prompt) ? `Your task:\n${prompt}` : prompt]

const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`
