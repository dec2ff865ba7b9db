import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { asServer, type Server } from './postgres.ts'
import { waitFor } from './wait-for.ts'

/** Test helper: a PgBouncer in transaction mode in front of one database, on a socket in `folder`. */
export async function startPooler(
  server: Server,
  database: string,
): Promise<{ folder: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(server.folder, 'pooler-'))
  server.give(folder)
  const settings = join(folder, 'pgbouncer.ini')
  writeFileSync(
    settings,
    [
      '[databases]',
      `${database} = host=${server.folder} port=5432 dbname=${database} user=owner`,
      '[pgbouncer]',
      'listen_addr =',
      `unix_socket_dir = ${folder}`,
      'listen_port = 6432',
      'auth_type = any',
      'pool_mode = transaction',
    ].join('\n'),
    { mode: 0o644 },
  )
  const [file = '', ...args] = asServer(['pgbouncer', settings])
  const child = spawn(file, args, { stdio: 'ignore' })
  const ended = new Promise((resolve) => child.once('close', resolve))
  await waitFor('the pooler', () => existsSync(join(folder, '.s.PGSQL.6432')))
  return {
    folder,
    stop: async () => {
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
