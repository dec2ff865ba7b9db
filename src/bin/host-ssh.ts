import { join } from 'node:path'
import process from 'node:process'
import type { Environment } from '../config/environment.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** The person’s shared SSH connections, in a folder of their own. */
export const createSshHost =
  (environment: Environment): Host['ssh'] =>
  async (machine) => {
    const [
      { createSshConnection, LONGEST_FOLDER },
      { makePrivateFolder },
      { userStateFolder },
      { exec },
    ] = await Promise.all([
      import('../adapters/ssh/connection.ts'),
      import('../runtime/private-folder.ts'),
      import('../config/user-state.ts'),
      import('../processes/exec.ts'),
    ])
    const short = join(environment.runtimeDir, `exomonad-ssh-${process.getuid?.() ?? 0}`)
    const folder = [join(userStateFolder(environment), 'ssh'), short].find(
      (path) => Buffer.byteLength(path) <= LONGEST_FOLDER,
    )
    makePrivateFolder(folder ?? short, 'sockets of SSH connections')
    return createSshConnection({
      machine,
      folder: folder ?? short,
      env: environment.variables,
      exec,
    })
  }
