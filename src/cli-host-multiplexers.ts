import type { Environment } from './config/environment.ts'
import type { Host } from './surfaces/cli/host.ts'

/** What `init`, `doctor` and `demo` ask about tmux and Zellij. */
export const createMultiplexersHost = (environment: Environment): Host['multiplexers'] => ({
  async look(name) {
    const [{ exec }, { isEnough, parseZellijVersion, ZELLIJ_NEEDED }] = await Promise.all([
      import('./adapters/exec.ts'),
      import('./adapters/multiplexer/zellij/version.ts'),
    ])
    const { exitCode, stdout } = await exec(name, [name === 'tmux' ? '-V' : '--version'], { env: environment.variables, timeout: 10_000 })
    const said = stdout.trim()
    // The daemon says of a tmux that is too old what it says of it; here it is as for kind = "auto".
    if (name === 'tmux') return { version: exitCode === 0 ? said.replace(/^tmux /, '') : null, needed: '3.2', usable: exitCode === 0 }
    const version = exitCode === 0 ? parseZellijVersion(said) : undefined
    return { version: version ?? (exitCode === 0 ? said : null), needed: ZELLIJ_NEEDED, usable: version !== undefined && isEnough(version) }
  },

  async around() {
    const { zellij, tmux, terminal } = environment.inside
    if (tmux === null) return zellij ? ['zellij'] : []
    if (!zellij) return ['tmux']
    return ((await startedBy(tmux.server)) ?? terminal === 'tmux') ? ['tmux', 'zellij'] : ['zellij', 'tmux']
  },
})

/**
 * Whether tmux started what runs here: then it is the inner one, as both servers leave whoever began them. The variables don’t tell: the
 * server that was begun inside the other hands down the other’s, $TERM_PROGRAM included. Null where the way up is not to be seen.
 */
async function startedBy(tmuxServer: number | null): Promise<boolean | null> {
  const { listProcesses } = await import('./adapters/panes/processes.ts')
  const parents = new Map((await listProcesses().catch(() => [])).map(({ pid, parent }) => [pid, parent]))
  if (tmuxServer === null || !parents.has(process.pid)) return null
  let pid: number | undefined = process.pid
  while (pid !== undefined && pid !== tmuxServer) pid = parents.get(pid)
  return pid === tmuxServer
}
