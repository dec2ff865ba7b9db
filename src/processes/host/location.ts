import { createHash } from 'node:crypto'
import { lstat, mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { ExomonadError } from '../../domain/errors.ts'
import { parseJson } from '../../domain/formats/parse-json.ts'

/** Longest path of a Unix socket on the systems we run on (macOS: 104 with its end mark). */
const SOCKET_PATH_LIMIT = 103

/** How the files and sockets of one kind of host are called. */
export interface HostNames {
  readonly files: string
  /** In front of the hash where the socket stands elsewhere. */
  readonly far: string
}

export const DETACHED_HOST: HostNames = { files: 'detached-host', far: 'host' }

export interface HostFiles {
  readonly lock: string
  readonly log: string
  /** `{protocol, pid, socket}` of the running host. */
  readonly record: string
}

export const hostFiles = (names: HostNames, stateDir: string): HostFiles => ({
  lock: join(stateDir, `${names.files}.lock`),
  log: join(stateDir, `${names.files}.log`),
  record: join(stateDir, `${names.files}.json`),
})

/**
 * Where the socket of a new host goes: in the state folder, or where that path is too long under a
 * hash in the runtime folder.
 */
export function chooseSocket(names: HostNames, stateDir: string, runtimeDir: string): string {
  const near = join(stateDir, `${names.files}.sock`)
  if (Buffer.byteLength(near) <= SOCKET_PATH_LIMIT) return near
  const hash = createHash('sha256').update(stateDir).digest('hex').slice(0, 10)
  const far = join(runtimeDir, `${names.far}-${hash}.sock`)
  if (Buffer.byteLength(far) <= SOCKET_PATH_LIMIT) return far
  throw new ExomonadError(
    'SOCKET_PATH_TOO_LONG',
    `The path ${far} is too long for a socket. Set XDG_RUNTIME_DIR to a short path.`,
    { path: far },
  )
}

/** The socket that the running host recorded, where there is a record. */
export async function recordedSocket(
  names: HostNames,
  stateDir: string,
): Promise<string | undefined> {
  try {
    const { socket } = parseJson(await readFile(hostFiles(names, stateDir).record, 'utf8')) as {
      socket?: unknown
    }
    return typeof socket === 'string' ? socket : undefined
  } catch {
    return undefined
  }
}

/**
 * Makes the socket's folder, 0700. Throws NOT_AVAILABLE for one that others could have put there.
 */
export async function prepareFolder(socket: string): Promise<void> {
  const folder = dirname(socket)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { uid, mode } = await lstat(folder)
  if (uid === process.getuid?.() && (mode & 0o022) === 0) return
  throw new ExomonadError(
    'NOT_AVAILABLE',
    `The folder ${folder} belongs to somebody else or others can write to it. Set XDG_RUNTIME_DIR to a folder of your own.`,
    { folder },
  )
}
