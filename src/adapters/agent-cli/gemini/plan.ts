import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ExomonadError } from '../../../errors.ts'
import type { LaunchPlan, LaunchRequest, PlannedFile } from '../agent-cli.ts'
import { locateProgram } from '../locate.ts'
import type { AgentCliOptions } from '../options.ts'
import { gitIdentity } from './git-identity.ts'
import { homeIn, linksFor, loginOf, readPersonalHome } from './home.ts'
import { asStrings, asTable, obstacles, parseSettings, policyOf, settingsOf } from './settings.ts'
import { findChat, forInheritance, parseChat, readChat, tookPrompt } from './transcript.ts'

/** One argument may have 128 KiB on Linux, and is rendered into a script before. Bytes. */
const MAX_ARGUMENT = 100_000

/**
 * `@path` would put a file’s content in its place, or the first file’s that has such a name; with the backslash the text stays as it is.
 * A first `/` would be a command of the program.
 */
const literal = (prompt: string): string => {
  const kept = prompt.replace(/(?<!\\)@(?=\S)/g, '\\@')
  return /^\s*\/(?![/*])/.test(kept) ? `Task: ${kept.trimStart()}` : kept
}

/** A UUID (version 8) that is the same for the same words. */
function uuidOf(words: string): string {
  const hex = createHash('sha256').update(words).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}

/** Of an agent’s starts each has a session of its own. */
async function freshSession(request: LaunchRequest): Promise<string> {
  for (let start = 1; ; start++) {
    const id = uuidOf(`${request.agentId} gemini ${start}`)
    if ((await findChat(homeIn(request.folder), id)) === null) return id
  }
}

type Session = Pick<LaunchPlan, 'session' | 'sessionId'> & { argv: readonly string[]; files: readonly PlannedFile[]; warnings: readonly string[] }

async function sessionFor(name: string, request: LaunchRequest): Promise<Session> {
  const { mode, session, folder } = request
  const fresh = async (warnings: readonly string[]): Promise<Session> => {
    const sessionId = await freshSession(request)
    return { session: 'fresh', sessionId, argv: [`--session-id=${sessionId}`], files: [], warnings }
  }
  if (mode === 'start') return fresh([])
  const own = session === null ? null : await findChat(homeIn(folder), session.id)
  if (mode === 'resume' && session !== null && own !== null) {
    return { session: 'resumed', sessionId: session.id, argv: [`--resume=${session.id}`], files: [], warnings: [] }
  }
  const path = own ?? session?.transcript ?? null
  const content = path === null ? null : await readFile(path, 'utf8').catch(() => null)
  const chat = content === null ? null : parseChat(content)
  if (content === null || chat === null || !tookPrompt(chat)) {
    const whose = mode === 'fork' ? 'its parent’s conversation' : 'its own conversation'
    const why =
      session === null
        ? 'none is known'
        : content === null
          ? `its file ${path ?? ''} can’t be read`.replace('  ', ' ')
          : 'what is kept of it is none of Gemini CLI’s'
    return fresh([`${name} starts without ${whose}: ${why}.`])
  }
  const inherited = join(folder, 'inherited.jsonl')
  return {
    session: mode === 'fork' ? 'forked' : 'resumed',
    // An imported conversation gets an id that can’t be chosen; its SessionStart hook tells.
    sessionId: null,
    argv: [`--session-file=${inherited}`],
    files: [{ path: inherited, content: forInheritance(content) }],
    warnings: [],
  }
}

/** How Gemini CLI is started: all it is given stands in the agent’s own folder (see home.ts) and in variables. */
export async function planGemini(options: AgentCliOptions, passed: (name: string) => string | undefined, request: LaunchRequest): Promise<LaunchPlan> {
  const { name, config } = options
  const { folder, permissions, worktree } = request
  const program = await locateProgram(config.command[0] ?? 'gemini', { agent: name, path: options.path, home: options.home })
  if (program.kind === 'missing') throw new ExomonadError('AGENT_CLI_MISSING', program.reason, { agent: name })
  const personal = await readPersonalHome(passed('GEMINI_CLI_HOME') ?? options.userHome)
  const home = homeIn(folder)
  const session = await sessionFor(name, request)
  const warnings = [...session.warnings]
  const files = [...session.files]

  const login = loginOf(personal.settings, (variable) => passed(variable) !== undefined || personal.variables.has(variable))
  if (login === null)
    warnings.push('Gemini CLI has no login and will ask for one in its terminal. Run `gemini` once yourself, or set GEMINI_API_KEY, then resume the agent.')
  if (personal.broken) warnings.push(`${join(personal.home, '.gemini', 'settings.json')} can’t be read as JSON: Gemini CLI runs without it.`)
  const workspace = await readFile(join(worktree, '.gemini', 'settings.json'), 'utf8').then(parseSettings, () => null)
  warnings.push(...obstacles(workspace ?? {}).map((obstacle) => `.gemini/settings.json of the branch: ${obstacle}.`))

  const argv = [program.path, ...config.command.slice(1)]
  if (config.model !== undefined) argv.push(`--model=${config.model}`)
  if (permissions.policy === 'all') {
    if (asTable(personal.settings['security'])['disableYoloMode'] === true)
      warnings.push('Permissions "all": your settings of Gemini CLI forbid it (security.disableYoloMode), so it asks.')
    else argv.push('--approval-mode=yolo')
  }
  let policyPaths: readonly string[] = []
  if (permissions.policy === 'list' && permissions.allow.length > 0) {
    const rules = join(folder, 'allowed.toml')
    files.push({ path: rules, content: policyOf(permissions.allow) })
    const own = asStrings(personal.settings['policyPaths'])
    policyPaths = [...(own.length > 0 ? own : [join(home, '.gemini', 'policies')]), rules]
  }

  let prompt = literal(request.prompt)
  const tooLong = Buffer.byteLength(prompt) > MAX_ARGUMENT
  const taskFolder = join(folder, 'task')
  if (tooLong) {
    const task = join(taskFolder, 'task.md')
    files.push({ path: task, content: request.prompt })
    prompt = `Your task is too long for this line. Read the whole file ${task} first, all of its lines, then do what it says. It begins:\n\n${prompt.slice(0, 2000)}`
  }
  const settings = settingsOf({ user: personal.settings, request, auth: login, policyPaths, includeDirectories: tooLong ? [taskFolder] : [] })
  files.push({ path: join(home, '.gemini', 'settings.json'), content: `${JSON.stringify(settings, null, 2)}\n` })

  return {
    argv: [...argv, ...session.argv, ...config.args, ...(prompt.trim() === '' ? [] : [`--prompt-interactive=${prompt}`])],
    env: {
      // Its own update and memory settings start it anew, and what is started outlives its terminal.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Without trust it has no MCP, and asks. Who set exomonad up in the repository trusts it.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...(await gitIdentity(options, worktree)),
      ...config.env,
      GEMINI_CLI_HOME: home,
    },
    files,
    links: await linksFor(personal.home, folder),
    session: session.session,
    sessionId: session.sessionId,
    channel: null,
    warnings,
  }
}

/** The chat file of a running agent: what its hooks named, as long as it is there, else what its folder holds. */
export async function chatOf(folder: string, session: { readonly id: string; readonly transcript: string | null } | null): ReturnType<typeof readChat> {
  if (session === null) return null
  const told = session.transcript === null ? null : await readChat(session.transcript)
  if (told !== null && tookPrompt(told)) return told
  const found = await findChat(homeIn(folder), session.id)
  return found === null ? told : readChat(found)
}
