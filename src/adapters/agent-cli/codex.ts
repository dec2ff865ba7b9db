import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../errors.ts'
import type { ExecResult } from '../exec.ts'
import type { AgentCli, ChannelResult, LaunchRequest, LiveAgent } from './agent-cli.ts'
import { diagnoseCodex } from './codex/diagnose.ts'
import { codexHooks } from './codex/hooks.ts'
import { overrides } from './codex/overrides.ts'
import { permissionPlan } from './codex/permissions.ts'
import { findRollout, isWorking, mentionedIn, usageIn } from './codex/rollout.ts'
import { readInputLine, readTitle } from './codex/screen.ts'
import { locateProgram } from './locate.ts'
import type { AgentCliOptions } from './options.ts'

/** Of its own variables only those that say where it finds things; others tell an agent’s programs that they run in it. */
const PASSES = ['OPENAI_*', 'AZURE_OPENAI_*', 'CODEX_HOME', 'CODEX_SQLITE_HOME', 'CODEX_API_KEY', 'CODEX_ACCESS_TOKEN', 'CODEX_CA_CERTIFICATE']
/** What running it beside the agent needs of the person’s environment, on top of that. */
const PLAIN = ['LANG', 'LC_ALL', 'TMPDIR', 'XDG_RUNTIME_DIR', 'SSL_CERT_FILE', 'HTTPS_PROXY', 'NO_PROXY']

/** One argument holds at most 128 KiB on Linux. Bytes. */
const LONGEST_ARGUMENT = 100_000
/** Codex shows its model the two ends of a hook’s text beyond 2500 tokens, which it takes for four bytes each. Characters, a few of them not ASCII. */
const CONTEXT_LIMIT = 8000
/** `codex queue` takes 0.1 to 0.4 s. Milliseconds. */
const QUEUE_TIMEOUT = 20_000

/** OpenAI Codex (tested with 0.169.0). Everything goes in by flags: nothing is written outside the agent’s folder but rules, for permission policy `list`. */
export function createCodexCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const [program = 'codex', ...leading] = config.command
  const codexHome = config.env['CODEX_HOME'] ?? options.variables['CODEX_HOME'] ?? join(options.userHome, '.codex')
  const locate = () => locateProgram(program, { agent: name, path: options.path, home: options.home })

  const run = async (args: readonly string[], timeout: number): Promise<ExecResult> => {
    const found = await locate()
    if (found.kind === 'missing') throw new ExomonadError('AGENT_CLI_MISSING', found.reason, { agent: name })
    const wanted = [...PASSES, ...PLAIN]
    const env: Record<string, string> = { HOME: options.userHome, PATH: options.path, TERM: 'dumb' }
    for (const [key, value] of Object.entries(options.variables)) if (wanted.some((pass) => matches(pass, key))) env[key] = value
    return options.exec(found.path, [...leading, ...args], { env: { ...env, ...config.env }, timeout })
  }

  /** Codex takes the whole conversation or ends at once: what isn’t there is not asked for. */
  const take = async ({ mode, session }: LaunchRequest): Promise<{ args: string[]; kind: 'forked' | 'resumed' | 'fresh'; warnings: string[] }> => {
    if (mode === 'start') return { args: [], kind: 'fresh', warnings: [] }
    if (session !== null && (await findRollout(session, codexHome)) !== null) {
      return mode === 'fork' ? { args: ['fork', session.id], kind: 'forked', warnings: [] } : { args: ['resume', session.id], kind: 'resumed', warnings: [] }
    }
    const why = session === null ? 'it is not known yet' : `there is no file of session ${session.id} in ${join(codexHome, 'sessions')}`
    return {
      args: [],
      kind: 'fresh',
      warnings: [`The ${mode === 'fork' ? 'parent’s' : 'agent’s own'} conversation can’t be taken over (${why}): it starts fresh, with the task alone.`],
    }
  }

  const rolloutOf = async (live: LiveAgent): Promise<string | null> => (live.session === null ? null : findRollout(live.session, codexHome))

  return {
    name,
    adapter: 'codex',
    acks: true,
    reportsState: true,
    enterDelay: config.enter_delay_ms,
    pasteLimit: null,
    contextLimit: CONTEXT_LIMIT,
    passes: PASSES,
    hooks: codexHooks,
    locate,
    plan: async (request) => {
      const conversation = await take(request)
      const permissions = await permissionPlan(request)
      const prompt =
        Buffer.byteLength(request.prompt) <= LONGEST_ARGUMENT
          ? request.prompt
          : `Your task is in the file ${request.promptFile}. Read all of it, to its end, before you do anything else.`
      return {
        argv: [
          program,
          ...leading,
          // A background server that several shared would have the first agent’s environment, and outlive it.
          '--no-daemon',
          '-C',
          request.worktree,
          ...overrides(request, await namesOf([request.repository, request.worktree])),
          ...(config.model === undefined ? [] : ['-m', config.model]),
          ...permissions.args,
          ...config.args,
          ...conversation.args,
          ...(prompt === '' ? [] : ['--', prompt]),
        ],
        env: config.env,
        files: permissions.files,
        session: conversation.kind,
        sessionId: conversation.kind === 'resumed' ? (request.session?.id ?? null) : null,
        channel: null,
        warnings: [...conversation.warnings, ...permissions.warnings],
      }
    },
    diagnose: () => diagnoseCodex({ name, config, codexHome, run: (...args) => run(args, 15_000) }),
    channel: {
      // It waits for the turn’s end; hooks are sooner.
      midTurn: false,
      send: async (live, text) => {
        if (live.session === null) return refused('its session is not known yet')
        if (Buffer.byteLength(text) > LONGEST_ARGUMENT) return refused('the message is too long for an argument')
        const result = await run(['queue', `--thread=${live.session.id}`, `--message=${text}`], QUEUE_TIMEOUT)
        if (result.exitCode === 0) return { kind: 'accepted' }
        if (result.exitCode === null && result.startError === null) throw new Error(`codex queue was ended by ${result.signal ?? 'its time limit'}`)
        return refused(result.startError ?? (result.stderr.trim().split('\n').at(-1) || `codex queue ended with ${result.exitCode}`))
      },
    },
    observe: async (live) => {
      const seen = readTitle(live.title)
      if (seen !== null) return seen
      if (live.title !== null) return { state: 'unknown', reason: 'its window’s title does not tell', source: 'screen' }
      const rollout = await rolloutOf(live)
      const working = rollout === null ? undefined : await isWorking(rollout)
      // A turn that waits for a person looks the same in the file.
      return working === false ? { state: 'idle', reason: null, source: 'session' } : { state: 'unknown', reason: 'it may be working', source: 'session' }
    },
    inputLine: readInputLine,
    mentions: async (live, words) => {
      const rollout = await rolloutOf(live)
      return rollout === null ? null : mentionedIn(rollout, words)
    },
    usage: async (live) => {
      const rollout = await rolloutOf(live)
      return rollout === null || live.session === null ? null : usageIn(rollout, live.session.id)
    },
  }
}

const refused = (reason: string): ChannelResult => ({ kind: 'refused', reason })

const matches = (pass: string, key: string): boolean => (pass.endsWith('*') ? key.startsWith(pass.slice(0, -1)) : key === pass)

/** Folders by the names they are asked for and by their real ones. */
async function namesOf(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
  return [...new Set([...folders, ...real])]
}
