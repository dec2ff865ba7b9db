import { join } from 'node:path'
import type { Environment } from '../config/environment.ts'
import type { Host } from '../surfaces/cli/host.ts'

/** What `init`, `doctor` and `demo` ask about tmux and Zellij. */
export const createMultiplexersHost = (environment: Environment): Host['multiplexers'] => ({
  async look(name) {
    if (name === 'tmux') {
      const said = await versionOf('tmux', '-V', environment.variables)
      // The daemon refuses a tmux that is too old; here it is as for kind = "auto".
      return { version: said?.replace(/^tmux /, '') ?? null, needed: '3.2', usable: said !== null }
    }
    const { isEnough, parseZellijVersion, ZELLIJ_NEEDED } =
      await import('../adapters/terminals/zellij/version.ts')
    const said = await zellijVersion(environment.variables)
    const version = said === null ? undefined : parseZellijVersion(said)
    return {
      version: version ?? said,
      needed: ZELLIJ_NEEDED,
      usable: version !== undefined && isEnough(version),
    }
  },

  async leftInZellij({ state, commonDir }) {
    const [{ leftInZellij }, { repositoryHash, terminalsOf }] = await Promise.all([
      import('../adapters/terminals/zellij/left.ts'),
      import('../runtime/paths.ts'),
    ])
    return {
      session: terminalsOf(repositoryHash(commonDir)).formerZellijSession,
      names: (await leftInZellij(state)).map(({ name }) => name),
    }
  },

  async around() {
    const { zellij, tmux, terminal } = environment.inside
    if (tmux === null) return zellij ? ['zellij'] : []
    if (!zellij) return ['tmux']
    return ((await startedBy(tmux.server)) ?? terminal === 'tmux')
      ? ['tmux', 'zellij']
      : ['zellij', 'tmux']
  },
})

/**
 * Whether tmux started what runs here: then it is the inner one, as both servers leave whoever
 * began them. The variables don’t say: the server that was begun inside the other hands down the
 * other’s, $TERM_PROGRAM included. Null where the way up is not to be seen.
 */
async function startedBy(tmuxServer: number | null): Promise<boolean | null> {
  const { listProcesses } = await import('../../packages/subagents/src/processes/list-processes.ts')
  const parents = new Map(
    (await listProcesses().catch(() => [])).map(({ pid, parent }) => [pid, parent]),
  )
  if (tmuxServer === null || !parents.has(process.pid)) return null
  let pid: number | undefined = process.pid
  while (pid !== undefined && pid !== tmuxServer) pid = parents.get(pid)
  return pid === tmuxServer
}

async function versionOf(
  program: string,
  option: string,
  env: Environment['variables'],
): Promise<string | null> {
  const { exec } = await import('../processes/exec.ts')
  const { exitCode, stdout } = await exec(program, [option], { env, timeout: 10_000 })
  return exitCode === 0 ? stdout.trim() : null
}

/**
 * Zellij makes a folder for its log before it says even its version; who only asks for that leaves
 * nothing behind.
 */
async function zellijVersion(variables: Environment['variables']): Promise<string | null> {
  const [{ mkdtemp, rm }, { tmpdir }] = await Promise.all([
    import('node:fs/promises'),
    import('node:os'),
  ])
  const folder = await mkdtemp(join(tmpdir(), 'exomonad-version-'))
  try {
    return await versionOf('zellij', '--version', { ...variables, TMPDIR: folder })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
