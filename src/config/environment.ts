import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'

/**
 * What this process was started with. The only reader of process.env; everything else gets it as an
 * argument.
 */
export interface Environment {
  readonly variables: Readonly<Record<string, string>>
  readonly home: string
  /** Per-user state (`$XDG_STATE_HOME` or `~/.local/state`), outside every repository. */
  readonly stateHome: string
  /** Short folder for sockets whose own path would be too long. */
  readonly runtimeDir: string
  readonly path: string
  /** Set in agents only. */
  readonly agentId: string | null
  readonly token: string | null
  readonly authFile: string | null
  readonly socket: string | null
  /** Whether colours are wanted or refused whatever the output is; null where it decides. */
  readonly color: boolean | null
  /** Width of output in columns, where it is said. */
  readonly columns: number | null
  /** Whether the locale can show Unicode. */
  readonly unicode: boolean
  readonly ci: boolean
  readonly inside: Inside
}

/** The multiplexers around this process; both where one of them runs in the other. */
export interface Inside {
  readonly zellij: boolean
  /** `server`: process id of the tmux server; null where $TMUX doesn’t say. */
  readonly tmux: { readonly server: number | null } | null
  /** $TERM_PROGRAM: tmux says `tmux`; Zellij leaves it as it was where its session was begun. */
  readonly terminal: string | null
}

export function readEnvironment(source: NodeJS.ProcessEnv = process.env): Environment {
  const variables: Record<string, string> = {}
  for (const [key, value] of Object.entries(source)) if (value !== undefined) variables[key] = value
  const home = variables['HOME'] || homedir()
  return Object.freeze({
    variables: Object.freeze(variables),
    home,
    stateHome: variables['XDG_STATE_HOME'] || join(home, '.local', 'state'),
    runtimeDir: variables['XDG_RUNTIME_DIR'] || tmpdir(),
    path: variables['PATH'] || '/usr/local/bin:/usr/bin:/bin',
    agentId: variables['EXOMONAD_AGENT_ID'] || null,
    token: variables['EXOMONAD_TOKEN'] || null,
    authFile: variables['EXOMONAD_AUTH_FILE'] || null,
    socket: variables['EXOMONAD_SOCKET'] || null,
    color: colorOf(variables),
    columns: /^[1-9]\d{0,4}$/.test(variables['COLUMNS'] ?? '')
      ? Number(variables['COLUMNS'])
      : null,
    unicode: unicodeOf(variables),
    ci: (variables['CI'] ?? '') !== '',
    inside: Object.freeze({
      // In Zellij it is 0, so that only its being there counts.
      zellij: variables['ZELLIJ'] !== undefined,
      tmux: variables['TMUX'] ? { server: serverOf(variables['TMUX']) } : null,
      terminal: variables['TERM_PROGRAM'] || null,
    }),
  })
}

/**
 * FORCE_COLOR outdoes NO_COLOR, as in Node itself; 0 and false refuse. Empty ones count for
 * nothing.
 */
function colorOf({
  FORCE_COLOR: forced = '',
  NO_COLOR: refused = '',
  TERM,
}: Readonly<Record<string, string>>): boolean | null {
  if (forced !== '') return forced !== '0' && forced !== 'false'
  return refused !== '' || TERM === 'dumb' ? false : null
}

/**
 * Of locale(7) the first that is set counts. Where none is, nothing is known, and what terminals do
 * today is assumed.
 */
function unicodeOf({ LC_ALL, LC_CTYPE, LANG }: Readonly<Record<string, string>>): boolean {
  const locale = LC_ALL || LC_CTYPE || LANG || ''
  return locale === '' || /utf-?8/i.test(locale)
}

/** $TMUX is `SOCKET,PID,SESSION`. */
function serverOf(tmux: string): number | null {
  const pid = Number(tmux.split(',').at(-2))
  return Number.isInteger(pid) && pid > 0 ? pid : null
}

/** What any program may see: who and where the user is, how text is written, no secrets. */
const PLAIN = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'LANGUAGE',
  'TZ',
  'TMPDIR',
  'TERM',
  'COLORTERM',
  'XDG_CONFIG_HOME',
  'XDG_CACHE_HOME',
  'XDG_DATA_HOME',
  'XDG_STATE_HOME',
  'XDG_RUNTIME_DIR',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_NOSYSTEM',
]
/** What git needs beyond that to reach remotes. */
const REMOTES = [
  'SSH_AUTH_SOCK',
  'SSH_AGENT_PID',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'GIT_SSL_CAINFO',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
]

function pick(environment: Environment, names: readonly string[]): Record<string, string> {
  const wanted = new Set(names)
  const prefixes = names.filter((name) => name.endsWith('*')).map((name) => name.slice(0, -1))
  const picked: Record<string, string> = { PATH: environment.path, HOME: environment.home }
  for (const [key, value] of Object.entries(environment.variables)) {
    if (
      wanted.has(key) ||
      key.startsWith('LC_') ||
      prefixes.some((prefix) => key.startsWith(prefix))
    )
      picked[key] = value
  }
  return picked
}

/**
 * Environment of agents, checks, set-up commands and the multiplexer: an allow-list, and what
 * `environment.pass` adds.
 */
export const agentEnvironment = (
  environment: Environment,
  pass: readonly string[] = [],
): Record<string, string> => pick(environment, [...PLAIN, 'SSH_AUTH_SOCK', ...pass])

/** Environment of the daemon’s own git. */
export const gitEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, [...PLAIN, ...REMOTES])

/**
 * Where `gh` finds its configuration and the keyring; no token is in it, so that `gh` gives
 * the one it keeps.
 */
export const ghEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, [...PLAIN, 'GH_CONFIG_DIR', 'DBUS_SESSION_BUS_ADDRESS', 'DISPLAY'])

/** GitHub’s tokens and host, as `gh` reads them: for the daemon itself, never for an agent. */
export const githubVariables = (environment: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(environment.variables).filter(([name]) => GITHUB.has(name)))

/** Gitea’s tokens: for the daemon itself, never for an agent. The first that is set counts. */
export const giteaVariables = ({ variables }: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    ['GITEA_TOKEN', 'FORGEJO_TOKEN'].flatMap((name) =>
      variables[name] === undefined ? [] : [[name, variables[name]]],
    ),
  )

const GITHUB = new Set([
  'GH_TOKEN',
  'GITHUB_TOKEN',
  'GH_ENTERPRISE_TOKEN',
  'GITHUB_ENTERPRISE_TOKEN',
  'GH_HOST',
])

/** What a notification on the desktop needs to find it. */
export const desktopEnvironment = (environment: Environment): Record<string, string> =>
  pick(environment, [
    ...PLAIN,
    'DBUS_SESSION_BUS_ADDRESS',
    'DISPLAY',
    'WAYLAND_DISPLAY',
    'XAUTHORITY',
    'XDG_SESSION_TYPE',
  ])
