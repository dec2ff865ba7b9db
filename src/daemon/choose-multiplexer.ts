import { exec } from '../adapters/exec.ts'
import { createHeadless } from '../adapters/multiplexer/headless/headless.ts'
import type { Multiplexer } from '../adapters/multiplexer/multiplexer.ts'
import { createTmux } from '../adapters/multiplexer/tmux/tmux.ts'
import { createZellij } from '../adapters/multiplexer/zellij/zellij.ts'
import { createRunner } from '../adapters/runner/open.ts'
import { createRouted } from '../adapters/runner/routed.ts'
import type { Runner } from '../adapters/runner/runner.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import type { Paths } from '../paths.ts'

/** What agents run in: all of it through `multiplexer`; `runner` for what only it can do. */
export interface Places {
  readonly multiplexer: Multiplexer
  readonly runner: Runner
  /** Agents go on without the daemon; a server without any has nothing to stay for. Before the runner goes, `settle` records how the last ones ended in it. */
  letGo(settle: () => Promise<void>): Promise<void>
}

/** The configured multiplexer; by default tmux where it is installed, else terminals of our own. And the runner for what has no terminal. */
export async function chooseMultiplexer(options: {
  kind: Config['multiplexer']['kind']
  environment: Environment
  hash: string
  paths: Paths
  log: Log
  agentEnvironment: Readonly<Record<string, string>>
}): Promise<Places> {
  const surroundings = {
    stateDir: options.paths.state,
    runtimeDir: options.environment.runtimeDir,
    environment: options.agentEnvironment,
    node: process.execPath,
    log: options.log,
  }
  const runner = createRunner(surroundings)
  const tmux = options.kind === 'tmux' || (options.kind === 'auto' && (await exec('tmux', ['-V'], { env: options.agentEnvironment })).exitCode === 0)
  const { agentEnvironment: environment, log } = options
  const terminals =
    options.kind === 'zellij'
      ? // The path of its socket has little room.
        createZellij({ session: `exo-${options.hash.slice(0, 8)}`, stateDir: options.paths.state, environment, log })
      : tmux
        ? createTmux({ socketName: `exomonad-${options.hash}`, environment, log })
        : createHeadless(surroundings)
  return {
    multiplexer: createRouted({ terminals, runner }),
    runner,
    letGo: async (settle) => {
      const letGoOfRunner = async () => {
        const held = await runner.list()
        if (!held.every(({ dead }) => dead)) return
        // Nobody could tell afterwards how these ended.
        if (held.length > 0) await settle()
        await runner.shutdown()
      }
      const letGoOfTerminals = async () => {
        if ((await terminals.list()).every(({ dead }) => dead)) await terminals.shutdown()
      }
      // Trouble with one keeps nobody from being done with the other.
      const first = await Promise.allSettled([letGoOfRunner()])
      const results = [...first, ...(await Promise.allSettled([letGoOfTerminals()])), ...(await Promise.allSettled([runner.dispose(), terminals.dispose()]))]
      for (const result of results) if (result.status === 'rejected') throw result.reason
    },
  }
}
