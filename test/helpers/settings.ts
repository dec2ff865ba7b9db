import type { AgentCli } from '../../src/adapters/agent-cli/agent-cli.ts'
import { configSchema, type Config } from '../../src/config/schema.ts'
import type { Configured, Settings } from '../../src/core/deps.ts'
import { ExomonadError } from '../../src/domain/errors.ts'

const none = (name: string): never => {
  throw new ExomonadError('AGENT_CLI_MISSING', `There is no [agents.${name}].`)
}

/** A snapshot of a test’s own configuration; without `agentCli` it has no program. */
export const configuredOf = (
  config: Config = configSchema.parse({}),
  agentCli: (name: string) => AgentCli = none,
): Configured => ({ config, agentCli })

/** Settings that are trusted, and whose configuration is what `config` returns then. */
export const settingsOf = (
  config: () => Config = () => configSchema.parse({}),
  agentCli?: (name: string) => AgentCli,
): Settings => ({
  snapshot: async () => configuredOf(config(), agentCli),
  requireTrust: async () => {},
})
