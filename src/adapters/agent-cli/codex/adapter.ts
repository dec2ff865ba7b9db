import { realpath } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { ExecResult } from '../../../processes/exec.ts'
import type { AgentCli, LaunchRequest, LiveAgent } from '../agent-cli.ts'
import { isQueued, subagentsOf } from './databases.ts'
import { diagnoseCodex } from './diagnose.ts'
import { codexHooks } from './hooks.ts'
import { overrides } from './overrides.ts'
import { permissionPlan } from './permissions.ts'
import { enqueue, LONGEST_ARGUMENT } from './queue.ts'
import { findRollout, lastTurn, mentionedIn, usageOf } from './rollout.ts'
import { readInputLine, readTitle } from './screen.ts'
import { locateProgram } from '../locate.ts'
import { directToLoopback, NETWORK } from '../network.ts'
import type { AgentCliOptions } from '../options.ts'
import { inertForCodex } from './inert.ts'
import { hostsOf, ownDatabases, personalOf } from './personal.ts'

/**
 * Of its own variables only those that say where it finds things; others say to an agent’s programs
 * that they run in it.
 */
const PASSES = [
  'OPENAI_*',
  'AZURE_OPENAI_*',
  'CODEX_HOME',
  'CODEX_SQLITE_HOME',
  'CODEX_API_KEY',
  'CODEX_ACCESS_TOKEN',
  'CODEX_CA_CERTIFICATE',
  ...NETWORK,
]
/** What running it beside the agent needs of the person’s environment, on top of that. */
const PLAIN = ['LANG', 'LC_ALL', 'TMPDIR', 'XDG_RUNTIME_DIR']

/**
 * Codex shows its model the two ends of a hook’s text beyond 2500 tokens, which it takes for four
 * bytes each. Characters, a few of them not ASCII.
 */
const CONTEXT_LIMIT = 8000
/**
 * OpenAI Codex (tested with 0.169.0). Everything goes in by flags: nothing is written outside the
 * agent’s folder but rules, for permission policy `list`.
 */
export function createCodexCli(options: AgentCliOptions): AgentCli {
  const { name, config } = options
  const [program = 'codex', ...leading] = config.command
  const codexHome =
    config.env['CODEX_HOME'] ?? options.variables['CODEX_HOME'] ?? join(options.userHome, '.codex')
  const sqliteHome =
    config.env['CODEX_SQLITE_HOME'] ?? options.variables['CODEX_SQLITE_HOME'] ?? codexHome
  const locate = () =>
    locateProgram(program, { agent: name, path: options.path, home: options.home })

  /** A confined one’s databases are its own: it says so in its channel. */
  const sqliteHomeOf = ({ channel }: LiveAgent): string => channel?.['databases'] ?? sqliteHome

  const ownVariables = ({ channel }: LiveAgent): Record<string, string> =>
    channel?.['databases'] === undefined ? {} : { CODEX_SQLITE_HOME: channel['databases'] }

  const run = async (
    args: readonly string[],
    timeout: number,
    own: Readonly<Record<string, string>> = {},
  ): Promise<ExecResult> => {
    const found = await locate()
    if (found.kind === 'missing')
      throw new ExomonadError('AGENT_CLI_MISSING', found.reason, { agent: name })
    const wanted = [...PASSES, ...PLAIN]
    const env: Record<string, string> = { HOME: options.userHome, PATH: options.path, TERM: 'dumb' }
    for (const [key, value] of Object.entries(options.variables))
      if (wanted.some((pass) => matches(pass, key))) env[key] = value
    return options.exec(found.path, [...leading, ...args], {
      env: { ...env, ...config.env, ...own },
      timeout,
    })
  }

  /** Codex takes the whole conversation or ends at once: what isn’t there is not asked for. */
  const take = async ({
    mode,
    session,
  }: LaunchRequest): Promise<{
    args: string[]
    kind: 'forked' | 'resumed' | 'fresh'
    warnings: string[]
  }> => {
    if (mode === 'start') return { args: [], kind: 'fresh', warnings: [] }
    if (session !== null && (await findRollout(session, codexHome)) !== null) {
      return mode === 'fork'
        ? { args: ['fork', session.id], kind: 'forked', warnings: [] }
        : { args: ['resume', session.id], kind: 'resumed', warnings: [] }
    }
    const why =
      session === null
        ? 'it is not known yet'
        : `there is no file of session ${session.id} in ${join(codexHome, 'sessions')}`
    return {
      args: [],
      kind: 'fresh',
      warnings: [
        `The ${mode === 'fork' ? 'parent’s' : 'agent’s own'} conversation can’t be taken over (${why}): it starts fresh, with the task alone.`,
      ],
    }
  }

  const rolloutOf = async (live: LiveAgent): Promise<string | null> =>
    live.session === null ? null : findRollout(live.session, codexHome)

  return {
    name,
    adapter: 'codex',
    inert: inertForCodex,
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
          // A background server that several shared would have the first agent’s environment, and
          // outlive it.
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
        env: {
          ...directToLoopback(options.variables),
          ...config.env,
          ...(request.confined === true && { CODEX_SQLITE_HOME: ownDatabases(request.folder) }),
        },
        files: permissions.files,
        ...(request.confined === true && {
          personal: personalOf(codexHome),
          hosts: hostsOf({ ...options.variables, ...config.env }),
        }),
        session: conversation.kind,
        sessionId: conversation.kind === 'resumed' ? (request.session?.id ?? null) : null,
        channel: request.confined === true ? { databases: ownDatabases(request.folder) } : null,
        warnings: [...conversation.warnings, ...permissions.warnings],
      }
    },
    diagnose: () => diagnoseCodex({ name, config, codexHome, run: (...args) => run(args, 15_000) }),
    channel: {
      // It waits for the turn’s end; hooks are sooner.
      midTurn: false,
      send: async (live, text) =>
        live.session === null
          ? { kind: 'refused', reason: 'its session is not known yet' }
          : enqueue(
              { sessionId: live.session.id, text, rollout: await rolloutOf(live) },
              (args, timeout) => run(args, timeout, ownVariables(live)),
            ),
    },
    observe: async (live) => {
      const seen = readTitle(live.title ?? null)
      if (seen !== null && seen.state !== 'idle') return seen
      const rollout = await rolloutOf(live)
      const turn = rollout === null ? undefined : await lastTurn(rollout).catch(() => undefined)
      const reason = turn?.failure == null ? null : `its turn failed: ${turn.failure}`
      if (seen !== null) return { ...seen, reason }
      if (live.title != null)
        return { state: 'unknown', reason: 'its window’s title does not say', source: 'screen' }
      // A turn that waits for a person looks the same in the file as one that goes on.
      return turn === undefined || turn.state === 'working'
        ? { state: 'unknown', reason: 'it may be working', source: 'session' }
        : { state: 'idle', reason, source: 'session' }
    },
    inputLine: readInputLine,
    mentions: async (live, words) => {
      const rollout = await rolloutOf(live)
      if (rollout === null || live.session === null) return null
      const found = await mentionedIn(rollout, words)
      const missing = words.filter((word) => !found.has(word))
      // On its way: neither there nor not.
      return found.size === 0 &&
        missing.length > 0 &&
        isQueued(sqliteHomeOf(live), live.session.id, missing)
        ? null
        : found
    },
    usage: async (live) => {
      const rollout = await rolloutOf(live)
      return rollout === null || live.session === null
        ? null
        : usageOf([live.session, ...subagentsOf(sqliteHomeOf(live), live.session.id)], codexHome)
    },
  }
}

const matches = (pass: string, key: string): boolean =>
  pass.endsWith('*') ? key.startsWith(pass.slice(0, -1)) : key === pass

/** Folders by the names they are asked for and by their real ones. */
async function namesOf(folders: readonly string[]): Promise<string[]> {
  const real = await Promise.all(folders.map((folder) => realpath(folder).catch(() => folder)))
  return [...new Set([...folders, ...real])]
}
