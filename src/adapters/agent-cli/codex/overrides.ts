import { createHash } from 'node:crypto'
import type { LaunchRequest } from '../agent-cli.ts'
import { CODEX_EVENTS } from './hooks.ts'
import { toml, type TomlValue } from './toml.ts'

type Event = keyof typeof CODEX_EVENTS

/**
 * Codex cuts the limit of these two down to this; a hash made of more would be another hook’s.
 * Seconds.
 */
const SHORT = 3
/** The hook’s script ends by itself, in time or when a person has answered. Seconds. */
const LONG: Partial<Record<Event, number>> = {
  Stop: 3600,
  PermissionRequest: 86_400,
  Interrupt: SHORT,
  SessionEnd: SHORT,
}
const USUAL = 60

/** Between starting a server and its first answer; the daemon may be starting as well. Seconds. */
const STARTUP = 30

/**
 * What `exomonad mcp` needs of the environment: Codex gives servers that it starts only a handful
 * of variables.
 */
const FOR_MCP = [
  'EXOMONAD_AGENT_ID',
  'EXOMONAD_AGENT_NAME',
  'EXOMONAD_PARENT_ID',
  'EXOMONAD_BRANCH',
  'EXOMONAD_ROLE',
  'EXOMONAD_SOCKET',
  'EXOMONAD_TOKEN',
  'EXOMONAD_AUTH_FILE',
  'EXOMONAD_SPOOL',
]

const shellQuoted = (text: string): string =>
  /^[\w./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`

/**
 * As Codex identifies a hook that somebody has looked at: SHA-256 of its definition as JSON with
 * sorted keys.
 */
const hookHash = (event: Event, command: string, timeout: number): string =>
  `sha256:${createHash('sha256')
    .update(
      JSON.stringify({
        event_name: CODEX_EVENTS[event],
        hooks: [{ async: false, command, timeout, type: 'command' }],
      }),
    )
    .digest('hex')}`

/**
 * Our hooks, and that they are the ones we mean: without, Codex asks in its terminal whether they
 * may run. Nothing else is let through by that, as it would be by --dangerously-bypass-hook-trust:
 * not the hooks of the repository, nor others of the person’s.
 */
function hooks(script: string): [string, TomlValue][] {
  const overrides: [string, TomlValue][] = []
  const state: Record<string, TomlValue> = {}
  for (const event of Object.keys(CODEX_EVENTS) as Event[]) {
    const command = `sh ${shellQuoted(script)} ${event}`
    const timeout = LONG[event] ?? USUAL
    overrides.push([`hooks.${event}`, [{ hooks: [{ type: 'command', command, timeout }] }]])
    state[`/<session-flags>/config.toml:${CODEX_EVENTS[event]}:0:0`] = {
      trusted_hash: hookHash(event, command, timeout),
    }
  }
  return [...overrides, ['hooks.state', state]]
}

/** The table of exomonad’s MCP server, as Codex’s configuration has it. */
export const codexServer = (request: LaunchRequest): { readonly [key: string]: TomlValue } => ({
  ...(request.mcpUrl === null
    ? { command: 'exomonad', args: ['mcp'], env_vars: FOR_MCP }
    : { url: request.mcpUrl, bearer_token_env_var: 'EXOMONAD_TOKEN' }),
  default_tools_approval_mode: 'approve',
  // Codex gives others a second at its start, and then has its model begin without their tools.
  required: true,
  startup_timeout_sec: STARTUP,
  tool_timeout_sec: request.toolTimeout + 60,
})

/**
 * Arguments `-c key=value`. `trusted`: folders that are the repository, by all the names they have.
 */
export function overrides(request: LaunchRequest, trusted: readonly string[]): string[] {
  const all: [string, TomlValue][] = [
    ['projects', Object.fromEntries(trusted.map((folder) => [folder, { trust_level: 'trusted' }]))],
    ['mcp_servers.exomonad', codexServer(request)],
    // Models that write code to call tools see ours beside it: not hidden behind a search, and a
    // call may wait as long as it has to.
    ['features.code_mode.direct_only_tool_namespaces', ['mcp__exomonad']],
    ...hooks(request.hookScript),
    // What `observe` reads.
    ['tui.terminal_title', ['activity', 'status', 'project']],
    // A login shell sets PATH anew, and `exomonad` is gone from it.
    ['allow_login_shell', false],
    // Its notice waits for a person.
    ['check_for_update_on_startup', false],
  ]
  return all.flatMap(([key, value]) => ['-c', `${key}=${toml(value)}`])
}
