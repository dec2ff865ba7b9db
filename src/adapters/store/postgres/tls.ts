import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ConnectionOptions } from 'node:tls'
import { ExomonadError } from '../../../domain/errors.ts'

/** False: in the clear. */
export type Tls = ConnectionOptions | false

/**
 * libpq's sslmode for this driver. Over a network the default is verify-full, and what would go in
 * the clear is refused: the store holds tokens' hashes and all that agents write. On a Unix socket
 * and on the loopback there is no TLS unless it is asked for. Throws CONFIG_INVALID.
 */
export function readTls(given: {
  host: string
  home: string
  mode: string | undefined
  rootCert: string | undefined
  cert: string | undefined
  key: string | undefined
}): Tls {
  const { host, home } = given
  const isNear = host.startsWith('/') || /^(localhost|127(\.\d+){3}|::1)$/.test(host)
  const mode = given.mode ?? (isNear ? 'disable' : 'verify-full')
  if (host.startsWith('/')) return false
  if (['disable', 'allow', 'prefer'].includes(mode)) {
    if (isNear) return false
    throw refused(
      `sslmode=${mode} would send everything in the clear to ${host}. Leave it out (verify-full), name the server's authority in sslrootcert, or use require`,
    )
  }
  if (!['require', 'verify-ca', 'verify-full'].includes(mode))
    throw refused(`sslmode=${mode} is none of disable, require, verify-ca, verify-full`)
  const read = (name: string, file: string | undefined): { [key: string]: string } =>
    file === undefined ? {} : { [name]: contentOf(file, home) }
  const authority = given.rootCert === 'system' ? undefined : given.rootCert
  return {
    ...read('ca', authority),
    ...read('cert', given.cert),
    ...read('key', given.key),
    // As libpq has it: with an authority, require means verify-ca.
    rejectUnauthorized: mode !== 'require' || authority !== undefined,
    ...(mode === 'verify-full' ? {} : { checkServerIdentity: () => undefined }),
  }
}

function contentOf(file: string, home: string): string {
  const path = file.startsWith('~/') ? join(home, file.slice(2)) : file
  try {
    return readFileSync(path, 'utf8')
  } catch (thrown) {
    throw refused(`${path} can’t be read (${(thrown as Error).message})`)
  }
}

const refused = (problem: string): ExomonadError =>
  new ExomonadError('CONFIG_INVALID', `The PostgreSQL store is not opened: ${problem}.`)
