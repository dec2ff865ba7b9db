import { stat } from 'node:fs/promises'
import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import { createCommandCli } from '../adapters/agent-cli/command.ts'
import type { Environment } from '../config/environment.ts'
import { loadConfig } from '../config/load.ts'
import type { Config } from '../config/schema.ts'
import { assertTrusted, type TrustSubject } from '../config/trust.ts'
import type { Settings } from '../core/deps.ts'
import { ExomonadError } from '../errors.ts'
import { ALL_TOOLS } from '../tools/all.ts'

export interface LiveSettings extends Settings {
  /** As last read; for what can’t wait. */
  readonly current: () => Config
}

/** The configuration as it is on disk: read again when the file changes, so that an edit needs no restart. */
export async function createSettings(deps: { environment: Environment; trust: TrustSubject; node: string }): Promise<LiveSettings> {
  const { configFile } = deps.trust.paths
  const toolNames = ALL_TOOLS.map((tool) => tool.name)
  const stamp = async (): Promise<string> => {
    try {
      const { mtimeMs, size, ino } = await stat(configFile)
      return `${mtimeMs}:${size}:${ino}`
    } catch {
      return 'absent'
    }
  }
  let readAt = await stamp()
  let current = await loadConfig(configFile, { toolNames })
  const clis = new Map<string, AgentCli>()

  const config = async (): Promise<Config> => {
    const now = await stamp()
    if (now !== readAt) {
      current = await loadConfig(configFile, { toolNames })
      readAt = now
      clis.clear()
    }
    return current
  }

  return {
    current: () => current,
    config,
    requireTrust: () => assertTrusted(deps.trust),
    agentCli: async (name) => {
      const { agents } = await config()
      const known = clis.get(name)
      if (known !== undefined) return known
      const agent = agents[name]
      if (agent === undefined) {
        const names = Object.keys(agents)
        throw new ExomonadError(
          'AGENT_CLI_MISSING',
          `There is no [agents.${name}] in ${configFile}${names.length > 0 ? `; there are ${names.join(', ')}` : ''}. .exomonad.example/ shows how to write one.`,
          { agent: name },
        )
      }
      const cli = createCommandCli({ name, config: agent, path: deps.environment.path, node: deps.node, home: deps.trust.paths.home })
      clis.set(name, cli)
      return cli
    },
  }
}
