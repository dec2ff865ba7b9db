import { exec } from '../adapters/exec.ts'
import { createHeadless } from '../adapters/multiplexer/headless/headless.ts'
import type { Multiplexer } from '../adapters/multiplexer/multiplexer.ts'
import { createTmux } from '../adapters/multiplexer/tmux/tmux.ts'
import type { Environment } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import type { Log } from '../log.ts'
import type { Paths } from '../paths.ts'

/** The configured multiplexer; by default tmux where it is installed, else terminals of our own. */
export async function chooseMultiplexer(options: {
  kind: Config['multiplexer']['kind']
  environment: Environment
  hash: string
  paths: Paths
  log: Log
  agentEnvironment: Readonly<Record<string, string>>
}): Promise<Multiplexer> {
  const tmux = options.kind === 'tmux' || (options.kind === 'auto' && (await exec('tmux', ['-V'], { env: options.agentEnvironment })).exitCode === 0)
  return tmux
    ? createTmux({ socketName: `exomonad-${options.hash}`, environment: options.agentEnvironment, log: options.log })
    : createHeadless({
        stateDir: options.paths.state,
        runtimeDir: options.environment.runtimeDir,
        environment: options.agentEnvironment,
        node: process.execPath,
        log: options.log,
      })
}
