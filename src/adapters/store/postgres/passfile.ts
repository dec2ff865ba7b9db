import { readFileSync, statSync } from 'node:fs'

/**
 * The password of a line `host:port:database:user:password` (or `*` for any) of libpq's password
 * file. As with libpq a file that others may read counts for nothing; `skipped` says so. A Unix
 * socket is also `localhost`.
 */
export function readPassword(
  file: string,
  target: { host: string; port: number; database: string; user: string },
): { password?: string; skipped?: string } {
  let text: string
  try {
    if ((statSync(file).mode & 0o077) !== 0)
      return { skipped: `${file} is not read, as others may read it: chmod 0600 it` }
    text = readFileSync(file, 'utf8')
  } catch {
    return {}
  }
  const hosts = target.host.startsWith('/') ? [target.host, 'localhost'] : [target.host]
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue
    const [host, port, database, user, password] = fieldsOf(line)
    if (password === undefined) continue
    const fits = (found: string | undefined, ...wanted: string[]): boolean =>
      found === '*' || wanted.includes(found ?? '')
    if (
      fits(host, ...hosts) &&
      fits(port, String(target.port)) &&
      fits(database, target.database) &&
      fits(user, target.user)
    )
      return { password }
  }
  return {}
}

/** Five at most; a backslash makes a colon or a backslash part of one. */
function fieldsOf(line: string): string[] {
  const fields = ['']
  for (const [part] of line.replace(/\r$/, '').matchAll(/\\.|[^\\]/gs)) {
    if (part === ':' && fields.length < 5) fields.push('')
    else fields[fields.length - 1] += part.length === 2 ? part.slice(1) : part
  }
  return fields
}
