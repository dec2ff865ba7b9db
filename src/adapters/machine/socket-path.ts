import { join } from 'node:path'
import { ExomonadError } from '../../domain/errors.ts'

/**
 * Bytes that fit `sun_path` everywhere: 104 on macOS and the BSDs, 108 on Linux, the closing NUL
 * included (unix(4), unix(7)).
 */
const LONGEST = 103

/**
 * Where the daemon’s socket goes: into the state folder, or where that path is too long into
 * `<runtimeDir>/exomonad-<hash>`. The server makes the folder private when it listens. Throws
 * SOCKET_PATH_TOO_LONG.
 */
export function chooseSocketPath(places: {
  state: string
  runtimeDir: string
  hash: string
}): string {
  const candidates = [
    join(places.state, 'daemon.sock'),
    join(places.runtimeDir, `exomonad-${places.hash}`, 'daemon.sock'),
  ]
  const chosen = candidates.find((path) => Buffer.byteLength(path) <= LONGEST)
  if (chosen !== undefined) return chosen
  throw new ExomonadError(
    'SOCKET_PATH_TOO_LONG',
    `The path of the daemon’s socket may have ${LONGEST} bytes; too long are ${candidates.join(' and ')}. Set XDG_RUNTIME_DIR to a folder with a short path.`,
    { found: candidates, allowed: LONGEST },
  )
}
