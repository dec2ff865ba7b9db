import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ExomonadError } from '../../../domain/errors.ts'
import { readPassword } from './passfile.ts'
import { readTls, type Tls } from './tls.ts'

/** A server, as libpq's words name it. */
export interface Target {
  /** Name, address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly database: string
  readonly password: string | undefined
  /** Why a password file was not read. */
  readonly skippedFile: string | undefined
  readonly tls: Tls
  /** Seconds. */
  readonly connectTimeout: number
  /** Without its password. */
  readonly shown: string
}

type Variables = Readonly<Record<string, string | undefined>>

/**
 * Reads what `psql` would take: `postgresql://user:password@host:port/database?sslmode=…`,
 * `host=/run/postgresql dbname=…`, or `service=NAME`; what it leaves out comes from PG* variables
 * and libpq's own defaults. Throws CONFIG_INVALID; no message has the text in it, as a password may
 * be there.
 */
export function parseConninfo(text: string, variables: Variables, home: string): Target {
  const trimmed = text.trim()
  if (trimmed === '') throw invalid('it is empty')
  const written = /^postgres(ql)?:\/\//.test(trimmed) ? ofUrl(trimmed) : ofPairs(trimmed)
  const service = written.get('service') ?? variables['PGSERVICE']
  const found = service === undefined ? new Map() : readService(service, variables, home)
  const given = (key: string, variable?: string): string | undefined =>
    (written.get(key) ??
      found.get(key) ??
      (variable === undefined ? undefined : variables[variable])) ||
    undefined
  for (const key of [...written.keys(), ...found.keys()])
    if (!KNOWN.has(key))
      throw invalid(
        `it says "${key}", which exomonad does not know; known are ${[...KNOWN].join(', ')}`,
      )

  const host = given('host', 'PGHOST') ?? given('hostaddr') ?? DEFAULT_HOST
  if (host.includes(',')) throw invalid('it names several hosts; name the one that takes writes')
  const port = numberOf('port', given('port', 'PGPORT') ?? '5432')
  const user = given('user', 'PGUSER') ?? variables['USER'] ?? variables['LOGNAME'] ?? 'postgres'
  const database = given('dbname', 'PGDATABASE') ?? user
  const said = given('password', 'PGPASSWORD')
  const { password, skipped }: ReturnType<typeof readPassword> =
    said === undefined
      ? readPassword(given('passfile', 'PGPASSFILE') ?? join(home, '.pgpass'), {
          ...{ host, port, database, user },
        })
      : { password: said }
  return {
    host,
    port,
    user,
    database,
    password,
    skippedFile: skipped,
    tls: readTls({
      host,
      home,
      mode: given('sslmode', 'PGSSLMODE'),
      rootCert: given('sslrootcert', 'PGSSLROOTCERT'),
      cert: given('sslcert', 'PGSSLCERT'),
      key: given('sslkey', 'PGSSLKEY'),
    }),
    connectTimeout: numberOf(
      'connect_timeout',
      given('connect_timeout', 'PGCONNECT_TIMEOUT') ?? '10',
    ),
    shown: `database ${database} on ${host}${host.startsWith('/') ? '' : `:${port}`} as ${user}`,
  }
}

/**
 * Written out, for a process with other variables and another home. CONFIG_INVALID over a network,
 * where it would take more than an address.
 */
export function spellConninfo({ host, port, user, database, password, tls }: Target): string {
  if (tls !== false) throw invalid('only one on a socket or on this machine can be passed on')
  const all = { host, port, user, dbname: database, password }
  return Object.entries(all)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => `${key}='${String(value).replaceAll(/['\\]/g, '\\$&')}'`)
    .join(' ')
}

/** Debian's; libpq's own is compiled in. */
const DEFAULT_HOST = '/var/run/postgresql'

const KNOWN = new Set([
  'host',
  'hostaddr',
  'port',
  'user',
  'dbname',
  'password',
  'passfile',
  'sslmode',
  'sslrootcert',
  'sslcert',
  'sslkey',
  'connect_timeout',
  'service',
  // Exomonad says its own name.
  'application_name',
])

export const invalid = (problem: string): ExomonadError =>
  new ExomonadError(
    'CONFIG_INVALID',
    `The address of the PostgreSQL store can’t be read: ${problem}. It is what psql takes, such as postgresql://user@host/database or "host=/run/postgresql dbname=exomonad"; docs/postgres.md has the forms.`,
  )

function numberOf(key: string, text: string): number {
  if (!/^\d{1,6}$/.test(text)) throw invalid(`${key} is no number`)
  return Number(text)
}

/** User, password, host, port, database, parameters. */
const URL_PARTS =
  /^postgres(?:ql)?:\/\/(?:([^:@/?#]*)(?::([^@/?#]*))?@)?(\[[^\]]*\]|[^:@/?#]*)(?::(\d*))?(?:\/([^?#]*))?(?:\?(.*))?$/

function ofUrl(text: string): Map<string, string> {
  const parts = text.match(URL_PARTS)
  if (parts === null) throw invalid('it is no URL of a database')
  const [, user, password, host, port, database, query = ''] = parts
  const found = new Map<string, string>()
  const put = (key: string, value: string | undefined): void => {
    if (value !== undefined && value !== '') found.set(key, decode(value))
  }
  put('user', user)
  put('password', password)
  put('host', host?.replace(/^\[(.*)\]$/, '$1'))
  put('port', port)
  put('dbname', database)
  for (const pair of query.split('&').filter((one) => one !== '')) {
    const at = pair.indexOf('=')
    if (at === -1) throw invalid('it has a parameter without a value')
    const key = decode(pair.slice(0, at))
    put(key === 'ssl' ? 'sslmode' : key, key === 'ssl' ? 'require' : pair.slice(at + 1))
  }
  return found
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalid('a % in it is followed by no two hex digits')
  }
}

/** `key = value key='a value with \' and \\'`. */
function ofPairs(text: string): Map<string, string> {
  const found = new Map<string, string>()
  const pair = /\s*([A-Za-z_]+)\s*=\s*(?:'((?:[^'\\]|\\.)*)'|((?:[^\s\\']|\\.)*))(?:\s+|$)/gsy
  let length = 0
  for (const [whole, key = '', quoted, plain = ''] of text.matchAll(pair)) {
    found.set(key, (quoted ?? plain).replaceAll(/\\(.)/gs, '$1'))
    length += whole.length
  }
  if (length !== text.length) throw invalid('it is neither a URL nor key=value pairs')
  return found
}

/** A section of the person's service file, else of the system's. */
function readService(name: string, variables: Variables, home: string): Map<string, string> {
  const files = [
    variables['PGSERVICEFILE'] || join(home, '.pg_service.conf'),
    join(variables['PGSYSCONFDIR'] || '/etc/postgresql-common', 'pg_service.conf'),
  ]
  for (const file of files) {
    const section = sectionOf(textOf(file), name)
    if (section === undefined) continue
    const found = new Map<string, string>()
    for (const line of section) {
      const [, key, value] = line.match(/^([^=\s]+)\s*=\s*(.*)$/) ?? []
      if (key === undefined || value === undefined)
        throw invalid(`service ${name} in ${file} has a line that is no key=value`)
      found.set(key, value)
    }
    return found
  }
  throw invalid(`there is no service ${JSON.stringify(name)} in ${files.join(' or ')}`)
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function sectionOf(text: string, name: string): string[] | undefined {
  const lines = text.split('\n').map((line) => line.trim())
  const begin = lines.indexOf(`[${name}]`)
  if (begin === -1) return undefined
  const rest = lines.slice(begin + 1)
  const end = rest.findIndex((line) => line.startsWith('['))
  return (end === -1 ? rest : rest.slice(0, end)).filter(
    (line) => line !== '' && !line.startsWith('#'),
  )
}
