/** Where a git remote is. Never holds what stood before the `@`: that may be a password. */
export interface RemoteAddress {
  readonly transport: 'https' | 'http' | 'ssh' | 'git'
  /**
   * Lower case; with the port where the transport is HTTP and the port is not its own. An ssh alias
   * may stand here.
   */
  readonly host: string
  /** Without slashes at its ends and without `.git`. */
  readonly path: string
}

const SCHEMES: Readonly<Record<string, RemoteAddress['transport']>> = {
  https: 'https',
  'git+https': 'https',
  http: 'http',
  ssh: 'ssh',
  'git+ssh': 'ssh',
  'ssh+git': 'ssh',
  git: 'git',
}

/**
 * Reads a remote’s URL, as git has it after insteadOf; null for folders, bundles, remote helpers
 * and what git couldn’t read either.
 */
export function parseRemoteUrl(url: string): RemoteAddress | null {
  const text = url.trim()
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase()
  if (scheme !== undefined) return parseWithScheme(text, scheme)
  // `[user@]host:path`; a slash before the colon makes it a path, two colons a remote helper.
  const short = /^(?:[^@/:]*@)?([^@/:]+):(?!:)(.*)$/s.exec(text)
  return short === null ? null : address('ssh', short[1] ?? '', short[2] ?? '')
}

function parseWithScheme(text: string, scheme: string): RemoteAddress | null {
  const transport = SCHEMES[scheme]
  if (transport === undefined || !URL.canParse(text)) return null
  // Read as HTTP, whatever it is: of schemes it doesn’t know, URL takes hosts as they are written.
  const rest = text.slice(scheme.length)
  const known =
    transport === 'https' || transport === 'http' ? `${transport}${rest}` : `http${rest}`
  if (!URL.canParse(known)) return null
  const { hostname, host, pathname } = new URL(known)
  return address(
    transport,
    transport === 'https' || transport === 'http' ? host : hostname,
    decoded(pathname),
  )
}

function address(
  transport: RemoteAddress['transport'],
  host: string,
  path: string,
): RemoteAddress | null {
  const named = host.toLowerCase().replace(/\.$/, '')
  // ssh would take a host that begins with a dash for an option.
  if (!/^(?:\[[0-9a-f:.]+\]|[a-z0-9_][a-z0-9._-]*)(?::\d+)?$/.test(named)) return null
  return {
    transport,
    host: named,
    path: path
      .replace(/^\/+/, '')
      .replace(/\/+$/, '')
      .replace(/\.git$/, ''),
  }
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** `OWNER/NAME`; null where it is anything else. */
export function parseRepositoryName(
  path: string,
): { readonly owner: string; readonly name: string } | null {
  const found = /^([A-Za-z0-9_][A-Za-z0-9_-]*)\/([A-Za-z0-9._-]+)$/.exec(path)
  const [, owner = '', name = ''] = found ?? []
  return found === null || name === '.' || name === '..' ? null : { owner, name }
}

/** Whatever the port: ssh and HTTP have different ones of one host. */
export const isSameHost = (one: string, other: string): boolean =>
  one.replace(/:\d+$/, '') === other.replace(/:\d+$/, '')

export const isLoopback = (host: string): boolean =>
  /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])(?::\d+)?$/.test(host)
