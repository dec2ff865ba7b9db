import { mkdirSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import type { Forge } from '../../../src/adapters/forge/forge.ts'
import { createGiteaClient, type GiteaClient } from '../../../src/adapters/forge/gitea/client.ts'
import { createGiteaForge } from '../../../src/adapters/forge/gitea/forge.ts'
import type { GiteaForgeOptions } from '../../../src/adapters/forge/gitea/options.ts'
import type { Git } from '../../../src/adapters/git/git.ts'
import { openGit } from '../../../src/adapters/git/open.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { BranchName } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { pathsOf } from '../../../src/runtime/paths.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import type { Gitea } from './gitea.ts'
import { exec } from '../exec.ts'
import { waitFor } from '../wait-for.ts'
import { tempRepository, type TempRepository } from '../temp-repository.ts'

export interface GiteaForgeFixture {
  readonly repository: TempRepository
  readonly git: Git
  readonly store: Store
  readonly forge: Forge
  readonly owner: string
  readonly name: string
  /** Of the owner. */
  readonly token: string
  /** Requests as the account of another token. */
  clientOf(token: () => Promise<string>): GiteaClient
  /** A second forge on the same store, as after a restart of the daemon. */
  reopen(options?: Partial<GiteaForgeOptions>): Forge
  /** What lies between exomonad and Gitea is gone. */
  cutOff(): Promise<void>
  close(): Promise<void>
}

/** Test helper: a forge on a real Gitea, with the real git and store; `main` is pushed to it. */
export async function openGiteaForge(
  gitea: Gitea,
  options: { name?: string; clock?: () => number } = {},
): Promise<GiteaForgeFixture> {
  const repository = await tempRepository({
    branch: 'main',
    ...(options.name === undefined ? {} : { name: options.name }),
  })
  const paths = pathsOf(join(repository.path, '.git'), repository.path)
  mkdirSync(paths.state, { mode: 0o700 })
  const name = 'widgets'
  const { owner, token } = await gitea.addRepository(name)
  const way = await openWay(gitea.port)
  const git = openGit({ commonDir: paths.commonDir, environment: repository.env, exec })
  const remote = 'origin'
  await git.addRemote(
    remote,
    `http://x-access-token:${token}@127.0.0.1:${way.port}/${owner}/${name}.git`,
  )
  const store = await openSqliteStore({ file: paths.database, log: silentLog() })
  const forgeOptions: GiteaForgeOptions = {
    repository: { host: `127.0.0.1:${way.port}`, owner, name, url: `http://127.0.0.1:${way.port}` },
    token: async () => token,
    gate: createTextGate(),
    clock: options.clock ?? Date.now,
    log: silentLog(),
    userAgent: 'exomonad/test',
    retryDelay: 200,
    remote,
    git,
    store,
  }
  const opened: Forge[] = []
  const open = (changed: Partial<GiteaForgeOptions> = {}): Forge => {
    const forge = createGiteaForge({ ...forgeOptions, ...changed })
    opened.push(forge)
    return forge
  }
  const main = 'main' as BranchName
  await git.push(remote, { sha: (await git.resolve(main))!, branch: main, expected: null })
  // Gitea takes pushes in after git has its answer.
  await waitFor(
    'Gitea to have main',
    async () => (await gitea.api('GET', `/repos/${owner}/${name}/pulls`)).status === 200,
  )
  return {
    repository,
    git,
    store,
    forge: open(),
    owner,
    name,
    token,
    clientOf: (other) => createGiteaClient({ ...forgeOptions, token: other }),
    reopen: open,
    cutOff: way.close,
    async close() {
      for (const forge of opened) await forge.dispose()
      await store.close()
      await way.close()
      repository.remove()
    },
  }
}

/** Hands connections on until it is closed. */
async function openWay(to: number): Promise<{ port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const onward = connect(to, '127.0.0.1')
    for (const socket of [from, onward]) {
      sockets.add(socket)
      socket.on('error', () => socket.destroy())
      socket.once('close', () => {
        sockets.delete(socket)
        from.destroy()
        onward.destroy()
      })
    }
    from.pipe(onward).pipe(from)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
