import type { LaunchRequest } from '../agent-cli.ts'
import { GEMINI_EVENTS } from './hooks.ts'
import { parseJson } from '../../../domain/formats/parse-json.ts'

export type Table = Readonly<Record<string, unknown>>

export const asTable = (value: unknown): Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Table) : {}
export const asStrings = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((item) => typeof item === 'string') : []

/** JSON with comments, as Gemini CLI reads its settings; null for what it would not read either. */
export function parseSettings(content: string): Table | null {
  try {
    // Strings first, so that what looks like a comment in one stays.
    return asTable(
      parseJson(content.replace(/("(?:\\.|[^"\\])*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g, '$1')),
    )
  } catch {
    return null
  }
}

/**
 * Milliseconds. The script has its own limits, of 2 s and for the stop check of as long as that may
 * take.
 */
const HOOK_TIMEOUT = 30_000
const STOP_TIMEOUT = 3_600_000
/** Above the longest tool, so that ours ends first. */
const SPARE = 60_000

const quoted = (path: string): string => `'${path.replaceAll("'", "'\\''")}'`

const hookOf = (script: string, event: string): Table => ({
  hooks: [
    {
      type: 'command',
      name: 'exomonad',
      command: `sh ${quoted(script)} ${event}`,
      timeout: event === 'AfterAgent' ? STOP_TIMEOUT : HOOK_TIMEOUT,
    },
  ],
})

/**
 * `exomonad mcp` on stdio gets what it needs by name: Gemini CLI withholds variables that look like
 * secrets.
 */
const STDIO_VARIABLES = [
  'EXOMONAD_SOCKET',
  'EXOMONAD_TOKEN',
  'EXOMONAD_AUTH_FILE',
  'EXOMONAD_AGENT_ID',
]

const serverOf = ({
  mcpUrl,
  toolTimeout,
}: Pick<LaunchRequest, 'mcpUrl' | 'toolTimeout'>): Table => ({
  ...(mcpUrl === null
    ? {
        command: 'exomonad',
        args: ['mcp'],
        env: Object.fromEntries(STDIO_VARIABLES.map((name) => [name, `$${name}`])),
      }
    : { httpUrl: mcpUrl, headers: { Authorization: 'Bearer $EXOMONAD_TOKEN' } }),
  trust: true,
  timeout: toolTimeout * 1000 + SPARE,
})

export interface SettingsFacts {
  /** The person’s own settings: they hold for the agent as well. */
  readonly user: Table
  readonly request: Pick<LaunchRequest, 'mcpUrl' | 'toolTimeout' | 'hookScript'>
  /** How it logs in where the person’s settings don’t say; null where nothing says. */
  readonly auth: string | null
  /**
   * Files and folders of rules, beside which those of the person’s own folder don’t count by
   * themselves.
   */
  readonly policyPaths: readonly string[]
}

/** The person’s settings with what exomonad needs on top. Pure. */
export function settingsOf({ user, request, auth, policyPaths }: SettingsFacts): Table {
  const part = (key: string): Table => asTable(user[key])
  const hooksOff = part('hooksConfig')['enabled'] === false
  const hooks = hooksOff ? {} : part('hooks')
  const security = part('security')
  const mcp = part('mcp')
  const authOf = asTable(security['auth'])
  const redaction = asTable(security['environmentVariableRedaction'])
  return {
    ...user,
    // No update of the program under several agents at once, and no keys of vi where messages are
    // typed.
    general: {
      ...part('general'),
      enableAutoUpdate: false,
      enableAutoUpdateNotification: false,
      vimMode: false,
    },
    // The terminal’s title says what it does.
    ui: { ...part('ui'), hideWindowTitle: false, dynamicWindowTitle: true },
    ide: { ...part('ide'), enabled: false, hasSeenNudge: true },
    // Whoever seems to repeat itself would stand at a question for the night. Budgets report what
    // it uses; a person’s own choice stays.
    model: { disableLoopDetection: true, ...part('model') },
    security: {
      ...security,
      auth: { ...(auth === null ? {} : { selectedType: auth }), ...authOf },
      // Where it withholds variables that look like secrets, the hooks still need these.
      environmentVariableRedaction: {
        ...redaction,
        allowed: [...asStrings(redaction['allowed']), 'EXOMONAD_TOKEN', 'EXOMONAD_AUTH_FILE'],
      },
    },
    ...(policyPaths.length === 0 ? {} : { policyPaths }),
    hooksConfig: { ...part('hooksConfig'), enabled: true, notifications: false },
    hooks: {
      ...hooks,
      ...Object.fromEntries(
        GEMINI_EVENTS.map((event) => [
          event,
          [...(Array.isArray(hooks[event]) ? hooks[event] : []), hookOf(request.hookScript, event)],
        ]),
      ),
    },
    mcp: {
      ...mcp,
      ...(Array.isArray(mcp['allowed']) ? { allowed: [...mcp['allowed'], 'exomonad'] } : {}),
      ...(Array.isArray(mcp['excluded'])
        ? { excluded: mcp['excluded'].filter((name) => name !== 'exomonad') }
        : {}),
    },
    mcpServers: { ...part('mcpServers'), exomonad: serverOf(request) },
  }
}

/**
 * What a branch’s own `.gemini/settings.json` takes away from an agent: it counts more than the
 * agent’s.
 */
export function obstacles(workspace: Table): readonly string[] {
  const hooks = asTable(workspace['hooksConfig'])
  const mcp = asTable(workspace['mcp'])
  const found: string[] = []
  if (hooks['enabled'] === false || asStrings(hooks['disabled']).includes('exomonad'))
    found.push(
      'it turns hooks off: exomonad sees nothing of what the agent does, and messages wait',
    )
  if (
    (Array.isArray(mcp['allowed']) && !asStrings(mcp['allowed']).includes('exomonad')) ||
    asStrings(mcp['excluded']).includes('exomonad')
  )
    found.push(
      'its mcp.allowed or mcp.excluded keeps the server "exomonad" out: the agent has none of its tools',
    )
  if (
    asTable(workspace['ui'])['hideWindowTitle'] === true ||
    asTable(workspace['ui'])['dynamicWindowTitle'] === false
  )
    found.push(
      'its ui settings hide the state from the terminal’s title: an agent that is interrupted may be taken to be at work',
    )
  if (asksAboutLoops(workspace)) found.push(LOOPS)
  return found
}

export const asksAboutLoops = (settings: Table): boolean =>
  asTable(settings['model'])['disableLoopDetection'] === false
export const LOOPS =
  'model.disableLoopDetection is false: an agent that seems to repeat itself stands at a question until a person answers it'

/**
 * Rules (its docs/reference/policy-engine.md) for what is not asked about: `write_file`, or
 * `run_shell_command(git commit)` for commands that begin so.
 */
export function policyOf(allow: readonly string[]): string {
  const rule = (entry: string): string => {
    const [, tool = '', prefix] = /^\s*([^\s(]+)\s*(?:\((.*)\))?\s*$/s.exec(entry) ?? [
      undefined,
      entry,
    ]
    // A JSON string is a basic string of TOML.
    const lines = [
      '[[rule]]',
      `toolName = ${JSON.stringify(tool === 'ShellTool' || tool === 'Shell' ? 'run_shell_command' : tool)}`,
    ]
    if (prefix !== undefined && prefix !== '' && prefix !== '*')
      lines.push(`commandPrefix = ${JSON.stringify(prefix.replace(/:?\*$/, ''))}`)
    return [...lines, 'decision = "allow"', 'priority = 500', ''].join('\n')
  }
  return `# Written by exomonad from [roles.*.permissions].\n${allow.map(rule).join('\n')}`
}
