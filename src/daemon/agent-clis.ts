import { createAcpCli } from '../adapters/agent-cli/acp/acp.ts'
import type { AcpSessions, AcpCliOptions } from '../adapters/agent-cli/acp/options.ts'
import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import { createCommandCli } from '../adapters/agent-cli/command.ts'
import { KNOWN, spokenForBy } from '../adapters/agent-cli/known.ts'
import type { AgentCliOptions } from '../adapters/agent-cli/options.ts'
import { agentSchema } from '../config/sections/agent-schema.ts'

/** The code of all agent CLIs exomonad knows. */
export interface AgentClis {
  /** The adapter of one [agents.NAME]. */
  create(options: AgentCliOptions): AgentCli
  /**
   * The adapter of one [acp.NAME]. It sees of the person’s environment what the agent CLI does that
   * it speaks for.
   */
  createAcp(options: Omit<AcpCliOptions, 'passes' | 'program'>): AgentCli
}

/** All at once: a daemon lives longer than the files it was started from. */
export async function loadAgentClis(): Promise<AgentClis> {
  const loaded = await Promise.all(
    KNOWN.map(async ({ name, load, acp }) => ({
      name,
      create: await load(),
      acp: await acp?.load(),
    })),
  )
  const byName = new Map(loaded.map((one) => [one.name, one]))
  const create: AgentClis['create'] = (options) =>
    (byName.get(options.config.adapter)?.create ?? createCommandCli)(options)
  return {
    create,
    createAcp: (options) => {
      const known = spokenForBy(options.name, options.config.command)
      if (known === undefined) return createAcpCli({ ...options, passes: [], program: null })
      const config = agentSchema.parse({ ...known.preset, env: options.config.env })
      return createAcpCli({
        ...options,
        passes: create({ ...options, config }).passes,
        program: byName.get(known.name)?.acp ?? null,
      })
    },
  }
}

/** Where no session can be: programs are only looked for and over. */
export const NO_SESSIONS: AcpSessions = {
  session: async () => undefined,
  inspect: async () => undefined,
  capture: async () => '',
  mentions: async () => null,
  prompt: async () => ({ kind: 'refused', reason: 'nothing runs here' }),
}
