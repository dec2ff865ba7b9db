import { createHmac, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { AgentCli, LaunchRequest, LiveAgent } from '../agent-cli.ts'
import type { ChannelResult } from '../../terminals/headless.ts'
import { locateProgram } from '../locate.ts'
import { directToLoopback, NETWORK } from '../network.ts'
import { promptAsync, readSession, request, serverOf, USERNAME } from './api.ts'
import { mentionsIn, usageOf } from './conversation.ts'
import { diagnoseOpenCode } from './doctor.ts'
import { openCodeHooks } from './hooks.ts'
import { configContent, shortInstallLimits, promptsByArgv } from './launch.ts'
import { observeServer } from './observe.ts'
import { firstStart } from './first-start.ts'
import { dataFolder, HOSTS, personalOf } from './personal.ts'
import { settleOpenCode, untilUp } from './settle.ts'
import type { AgentCliOptions } from '../options.ts'
import { inertText } from '../../../sanitize/inert.ts'

/**
 * What it reads of a person’s environment, beside variables that would bind it to another process
 * (OPENCODE_PID, OPENCODE_CLIENT, …).
 */
const PASSES = [
  'ANTHROPIC_*',
  'OPENAI_*',
  'GEMINI_*',
  'GOOGLE_*',
  'AZURE_*',
  'OPENROUTER_API_KEY',
  'GROQ_API_KEY',
  'MISTRAL_API_KEY',
  'XAI_API_KEY',
  'DEEPSEEK_API_KEY',
  'OPENCODE_API_KEY',
  'OPENCODE_AUTH_CONTENT',
  'OPENCODE_CONFIG',
  'OPENCODE_CONFIG_CONTENT',
  'OPENCODE_CONFIG_DIR',
  'OPENCODE_TUI_CONFIG',
  'OPENCODE_PERMISSION',
  'OPENCODE_MODELS_*',
  'OPENCODE_ENABLE_*',
  'OPENCODE_DISABLE_*',
  'OPENCODE_EXPERIMENTAL*',
  ...NETWORK,
]

/**
 * It takes 19 MB of libraries out of itself at every start and leaves them there: in the agent’s
 * folder they go with it.
 */
const UNPACK = 'unpacked'

/**
 * OpenCode. Its terminal’s process serves HTTP on 127.0.0.1 behind a password of its own: by that
 * it is given messages, looked at and answered, and nothing is typed into it. A plugin
 * (hooks/opencode-plugin.js) reports what happens in it.
 */
export function createOpenCodeCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const program = config.command[0] ?? 'opencode'
  const secret = randomBytes(32)
  const variables = { ...options.variables, ...config.env }
  /** Of agents whose program makes the store: what to call once it is up. */
  const making = new Map<LaunchRequest['agentId'], () => void>()

  /** Nobody else can derive it, and the same launch is planned the same. */
  const passwordFor = ({ agentId }: LaunchRequest): string =>
    createHmac('sha256', secret).update(agentId).digest('hex')

  const argvFor = (launch: LaunchRequest, port: number): string[] => [
    ...config.command,
    ...config.args,
    ...(config.model === undefined ? [] : ['--model', config.model]),
    ...(launch.permissions.policy === 'all' ? ['--auto'] : []),
    '--hostname',
    '127.0.0.1',
    '--port',
    String(port),
    ...(launch.mode === 'resume' && launch.session !== null
      ? ['--session', launch.session.id]
      : []),
    ...(promptsByArgv(launch) ? ['--prompt', launch.prompt] : []),
  ]

  const send = async (live: LiveAgent, text: string): Promise<ChannelResult> => {
    const server = serverOf(live.channel)
    if (server === null || live.session === null)
      return { kind: 'refused', reason: 'its session is not known yet' }
    const session = await readSession(server, live.session.id)
    if (session === null) return { kind: 'refused', reason: 'its server does not answer' }
    const answer = await promptAsync(server, session.id, {
      text,
      ...(session.agent !== undefined && { agent: session.agent }),
    })
    if (answer.kind === 'refused') return { kind: 'refused', reason: 'nothing listens on its port' }
    return answer.status < 300
      ? { kind: 'accepted' }
      : { kind: 'refused', reason: `HTTP ${answer.status}` }
  }

  const withSession = async <Result>(
    live: LiveAgent,
    look: (server: NonNullable<ReturnType<typeof serverOf>>, id: string) => Promise<Result>,
  ): Promise<Result | null> => {
    const server = serverOf(live.channel)
    return server === null || live.session === null ? null : look(server, live.session.id)
  }

  return {
    name,
    adapter: 'opencode',
    inert: inertText,
    acks: true,
    reportsState: true,
    enterDelay: config.enter_delay_ms,
    pasteLimit: null,
    passes: PASSES,
    hooks: openCodeHooks,
    channel: { midTurn: true, send },

    plan: async (launch) => {
      const port = await launch.freePort()
      const password = passwordFor(launch)
      const unset = shortInstallLimits(variables)
      const { content, warnings } = configContent(launch, {
        model: config.model,
        own: variables['OPENCODE_CONFIG_CONTENT'],
        unset,
      })
      const forks = launch.mode === 'fork' && launch.session !== null
      return {
        argv: argvFor(launch, port),
        env: {
          OPENCODE_DISABLE_AUTOUPDATE: '1',
          BUN_TMPDIR: join(launch.folder, UNPACK),
          ...unset,
          ...directToLoopback(options.variables),
          ...config.env,
          OPENCODE_CONFIG_CONTENT: content,
          OPENCODE_SERVER_PASSWORD: password,
          OPENCODE_SERVER_USERNAME: USERNAME,
        },
        files: [{ path: join(launch.folder, UNPACK, '.keep'), content: '' }],
        session: forks
          ? 'forked'
          : launch.mode === 'resume' && launch.session !== null
            ? 'resumed'
            : 'fresh',
        sessionId: launch.mode === 'resume' ? (launch.session?.id ?? null) : null,
        channel: { url: `http://127.0.0.1:${port}`, password },
        ...(launch.confined === true && {
          personal: personalOf(options.userHome, variables),
          hosts: HOSTS,
        }),
        listens: [port],
        warnings:
          launch.mode === 'fork' && !forks
            ? [
                ...warnings,
                'The parent’s conversation is not known: it starts fresh, with the task alone.',
              ]
            : warnings,
      }
    },

    locate: () => locateProgram(program, { agent: name, path: options.path, home: options.home }),
    diagnose: async () => {
      const found = await locateProgram(program, {
        agent: name,
        path: options.path,
        home: options.home,
      })
      return found.kind === 'missing' ? [] : diagnoseOpenCode(options, found.path)
    },

    turn: async ({ agentId }) => {
      const isUp = await firstStart(dataFolder(options.userHome, variables))
      if (isUp !== undefined) making.set(agentId, isUp)
    },
    settle: (live, launch) => {
      const server = serverOf(live.channel)
      const isUp = making.get(live.agentId)
      making.delete(live.agentId)
      if (isUp !== undefined && server !== null) void untilUp(server, live).finally(isUp)
      return settleOpenCode(server, live, launch)
    },

    observe: async (live) => {
      const server = serverOf(live.channel)
      if (server === null)
        return { state: 'unknown', reason: 'it was started without a server', source: 'session' }
      return observeServer(server, live.worktree, live.session !== null)
    },
    // Whatever it shows, what is typed may land in a dialog or be taken for a command; its server
    // takes messages at any time.
    inputLine: () => 'unseen',
    mentions: (live, words) => withSession(live, (server, id) => mentionsIn(server, id, words)),
    usage: (live) => withSession(live, usageOf),

    answerPermission: async (live, id, decision, reason) => {
      const server = serverOf(live.channel)
      if (server === null) throw new Error('it was started without a server')
      const answer = await request(server, 'POST', `/permission/${encodeURIComponent(id)}/reply`, {
        query: { directory: live.worktree },
        body: {
          reply: decision === 'allow' ? 'once' : 'reject',
          ...(reason === undefined ? {} : { message: reason }),
        },
      })
      // Gone: somebody answered in the terminal.
      if (answer.kind === 'refused' || (answer.status >= 300 && answer.status !== 404))
        throw new Error('OpenCode did not take the answer')
    },
  }
}
