import { readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import type { LaunchPlan, LaunchRequest, PersonalPath, PlannedLink } from '../agent-cli.ts'
import { locateProgram } from '../locate.ts'
import { directToLoopback, endpoints } from '../network.ts'
import type { AgentCliOptions } from '../options.ts'
import { gitIdentity } from './git-identity.ts'
import { homeIn, linksFor, loginOf, personalHome, readPersonalHome } from './home.ts'
import { sessionFor } from './session.ts'
import { asStrings, asTable, obstacles, parseSettings, policyOf, settingsOf } from './settings.ts'
import { findChat, readChat, tookPrompt } from './transcript.ts'

/** One argument may have 128 KiB on Linux. Bytes. */
const MAX_ARGUMENT = 100_000

/**
 * How Gemini CLI is started: all it is given stands in the agent’s own folder (see home.ts) and in
 * variables.
 */
export async function planGemini(
  options: AgentCliOptions,
  passed: (name: string) => string | undefined,
  request: LaunchRequest,
): Promise<LaunchPlan> {
  const { name, config } = options
  const { folder, permissions, worktree } = request
  const program = await locateProgram(config.command[0] ?? 'gemini', {
    agent: name,
    path: options.path,
    home: options.home,
  })
  if (program.kind === 'missing')
    throw new ExomonadError('AGENT_CLI_MISSING', program.reason, { agent: name })
  const personal = await readPersonalHome(personalHome(passed('GEMINI_CLI_HOME'), options.userHome))
  const home = homeIn(folder)
  const isLong = Buffer.byteLength(request.prompt) > MAX_ARGUMENT
  const prompt = isLong ? 'Your task stands above. Begin.' : request.prompt
  const session = await sessionFor(name, request, isLong ? request.prompt : null)
  const warnings = [...session.warnings]
  const files = [...session.files]

  const login = loginOf(
    personal.settings,
    (variable) => passed(variable) !== undefined || personal.variables.has(variable),
  )
  if (login === null)
    warnings.push(
      'Gemini CLI has no login and will ask for one in its terminal. Run `gemini` once yourself, or set GEMINI_API_KEY, then resume the agent.',
    )
  if (personal.broken)
    warnings.push(
      `${join(personal.home, '.gemini', 'settings.json')} can’t be read as JSON: Gemini CLI runs without it.`,
    )
  const workspace = await readFile(join(worktree, '.gemini', 'settings.json'), 'utf8').then(
    parseSettings,
    () => null,
  )
  warnings.push(
    ...obstacles(workspace ?? {}).map(
      (obstacle) => `.gemini/settings.json of the branch: ${obstacle}.`,
    ),
  )

  const argv = [program.path, ...config.command.slice(1)]
  if (config.model !== undefined) argv.push(`--model=${config.model}`)
  if (permissions.policy === 'all') {
    if (asTable(personal.settings['security'])['disableYoloMode'] === true)
      warnings.push(
        'Permissions "all": your settings of Gemini CLI forbid it (security.disableYoloMode), so it asks.',
      )
    else argv.push('--approval-mode=yolo')
  }
  let policyPaths: readonly string[] = []
  if (permissions.policy === 'list' && permissions.allow.length > 0) {
    const rules = join(folder, 'allowed.toml')
    files.push({ path: rules, content: policyOf(permissions.allow) })
    const own = asStrings(personal.settings['policyPaths'])
    policyPaths = [...(own.length > 0 ? own : [join(home, '.gemini', 'policies')]), rules]
  }

  const links = await linksFor(personal.home, folder)
  const settings = settingsOf({ user: personal.settings, request, auth: login, policyPaths })
  files.push({
    path: join(home, '.gemini', 'settings.json'),
    content: `${JSON.stringify(settings, null, 2)}\n`,
  })

  return {
    argv: [
      ...argv,
      ...session.argv,
      ...config.args,
      ...(prompt.trim() === '' ? [] : [`--prompt-interactive=${prompt}`]),
    ],
    env: {
      // Its own update and memory settings start it anew, and what is started outlives its
      // terminal.
      GEMINI_CLI_NO_RELAUNCH: 'true',
      // Without trust it has no MCP, and asks. Who set exomonad up in the repository trusts it.
      GEMINI_CLI_TRUST_WORKSPACE: 'true',
      ...(await gitIdentity(options, worktree)),
      ...directToLoopback(options.variables),
      ...config.env,
      GEMINI_CLI_HOME: home,
    },
    files,
    links,
    ...(request.confined === true && {
      personal: links.map(personalOf),
      hosts: [
        'accounts.google.com',
        'cloudcode-pa.googleapis.com',
        'generativelanguage.googleapis.com',
        'oauth2.googleapis.com',
        ...endpoints([passed('GOOGLE_GEMINI_BASE_URL'), passed('GOOGLE_VERTEX_BASE_URL')]),
      ],
    }),
    session: session.session,
    sessionId: session.sessionId,
    channel: null,
    warnings,
  }
}

/** A confined one refreshes its login as others do; what else is the person’s it reads. */
const personalOf = ({ target }: PlannedLink): PersonalPath => ({
  path: target,
  access: /^(oauth_creds|google_accounts|mcp-oauth-tokens.*)\.json$/.test(basename(target))
    ? 'write'
    : 'read',
})

/**
 * The chat file of a running agent: what its hooks named, as long as it is there, else what its
 * folder holds.
 */
export async function chatOf(
  folder: string,
  session: { readonly id: string; readonly transcript: string | null } | null,
): ReturnType<typeof readChat> {
  if (session === null) return null
  const named = session.transcript === null ? null : await readChat(session.transcript)
  if (named !== null && tookPrompt(named)) return named
  const found = await findChat(homeIn(folder), session.id)
  return found === null ? named : readChat(found)
}
