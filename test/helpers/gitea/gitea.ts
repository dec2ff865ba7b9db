import { execFile, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync, writeFileSync, openSync, readFileSync } from 'node:fs'
import { homedir, tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../free-port.ts'
import { waitFor } from '../wait-for.ts'

const VERSION = '1.24.6'
const folderOf = (env: NodeJS.ProcessEnv): string =>
  env['EXOMONAD_GITEA_FOLDER'] ??
  join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'exomonad', `gitea-${VERSION}`)

/** Where scripts/install-gitea.sh puts it; null where nobody ran that. */
export function giteaFolder(): string | null {
  const folder = folderOf(process.env)
  return existsSync(join(folder, 'bin', 'gitea')) ? folder : null
}

/** Said once where its suites do not run. */
export const NO_GITEA = 'Gitea is not there: scripts/install-gitea.sh builds it (Go, 5 minutes)'

export interface Gitea {
  /** `http://127.0.0.1:PORT`. */
  readonly url: string
  readonly port: number
  /** As that account, with a password. Null: its token, of the owner. */
  api(
    method: string,
    path: string,
    options?: { as?: string; body?: unknown },
  ): Promise<{ status: number; data: any }>
  /** An account; returns its token. */
  addUser(login: string): Promise<string>
  /** An empty repository of an owner of its own; returns its owner and the owner’s token. */
  addRepository(name: string): Promise<{ owner: string; token: string }>
  close(): Promise<void>
}

const PASSWORD = 'Long-enough-1'

/** A real Gitea on loopback with a database of its own, ended with all that it wrote by `close`. */
export async function startGitea(): Promise<Gitea> {
  const installed = giteaFolder()
  if (installed === null) throw new Error(NO_GITEA)
  const folder = mkdtempSync(join(tmpdir(), 'exomonad-gitea-'))
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const config = join(folder, 'app.ini')
  writeFileSync(
    config,
    `${userInfo().uid === 0 ? 'I_AM_BEING_UNSAFE_RUNNING_AS_ROOT = true\n' : ''}RUN_USER = ${userInfo().username}
WORK_PATH = ${folder}
[server]
HTTP_ADDR = 127.0.0.1
HTTP_PORT = ${port}
ROOT_URL = ${url}/
DISABLE_SSH = true
OFFLINE_MODE = true
STATIC_ROOT_PATH = ${join(installed, 'share')}
[database]
DB_TYPE = sqlite3
PATH = ${join(folder, 'gitea.db')}
[security]
INSTALL_LOCK = true
SECRET_KEY = none
PASSWORD_HASH_ALGO = pbkdf2_v1
[service]
DISABLE_REGISTRATION = true
[session]
PROVIDER = memory
[indexer]
ISSUE_INDEXER_TYPE = db
[cron]
ENABLED = false
[actions]
ENABLED = false
[log]
MODE = console
LEVEL = Warn
`,
  )
  const env = { PATH: process.env['PATH'], HOME: folder, GITEA_WORK_DIR: folder }
  const program = join(installed, 'bin', 'gitea')
  const run = (...args: string[]) =>
    promisify(execFile)(program, [...args, '--config', config], { env, cwd: folder })
  await run('migrate')
  const made = await run(
    ...[
      'admin',
      'user',
      'create',
      '--admin',
      '--username',
      'admin1',
      '--password',
      PASSWORD,
      '--email',
      'admin1@example.invalid',
    ],
    ...[
      '--access-token',
      '--access-token-name',
      'tests',
      '--access-token-scopes',
      'all',
      '--must-change-password=false',
    ],
  )
  const admin = /created\.{3} ([\da-f]{40})/.exec(made.stdout)?.[1] ?? ''
  const log = openSync(join(folder, 'log'), 'a')
  const server = spawn(program, ['web', '--config', config], {
    env,
    cwd: folder,
    stdio: ['ignore', log, log],
  })
  const ended = new Promise<void>((resolve) => server.once('exit', () => resolve()))

  const api: Gitea['api'] = async (method, path, { as, body } = {}) => {
    const authorization =
      as === undefined
        ? `token ${admin}`
        : `Basic ${Buffer.from(`${as}:${PASSWORD}`).toString('base64')}`
    const response = await fetch(`${url}/api/v1${path}`, {
      method,
      headers: { authorization, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, data: text === '' ? null : JSON.parse(text) }
  }
  await waitFor('Gitea to answer', () =>
    fetch(`${url}/api/v1/version`).then(
      ({ ok }) => ok,
      () => false,
    ),
  ).catch((error: unknown) => {
    throw new Error(
      `${(error as Error).message}\n${readFileSync(join(folder, 'log'), 'utf8').slice(-2000)}`,
    )
  })
  const must = async (
    method: string,
    path: string,
    options: Parameters<Gitea['api']>[2],
  ): Promise<any> => {
    const { status, data } = await api(method, path, options)
    if (status >= 400) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(data)}`)
    return data
  }
  const addUser = async (login: string): Promise<string> => {
    const body = {
      username: login,
      email: `${login}@example.invalid`,
      password: PASSWORD,
      must_change_password: false,
    }
    await must('POST', '/admin/users', { body })
    return (
      await must('POST', `/users/${login}/tokens`, {
        as: login,
        body: { name: 'tests', scopes: ['all'] },
      })
    ).sha1 as string
  }
  let owners = 0
  return {
    url,
    port,
    api,
    addUser,
    async addRepository(name) {
      const owner = `owner${++owners}`
      const token = await addUser(owner)
      await must('POST', '/user/repos', { as: owner, body: { name, default_branch: 'main' } })
      return { owner, token }
    },
    async close() {
      server.kill('SIGTERM')
      const timer = setTimeout(() => server.kill('SIGKILL'), 10_000)
      await ended
      clearTimeout(timer)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}
