/**
 * How an agent that is a session of the Agent Client Protocol names its program: `acp:NAME`, of
 * [acp.NAME].
 */
const PREFIX = 'acp:'

export const acpCliName = (name: string): string => `${PREFIX}${name}`

/** NAME of `acp:NAME`; undefined for an [agents.NAME]. */
export const acpNameOf = (cliName: string): string | undefined =>
  cliName.startsWith(PREFIX) ? cliName.slice(PREFIX.length) : undefined

/**
 * The [acp.NAME] that speaks for an agent CLI: there without being written. Adapter `command` has
 * none.
 */
const OF_ADAPTER: Readonly<Record<string, string>> = {
  claude: 'claude-agent-acp',
  codex: 'codex-acp',
  gemini: 'gemini',
  opencode: 'opencode',
}

export const ACP_ADAPTERS: readonly [acp: string, adapter: string][] = Object.entries(
  OF_ADAPTER,
).map(([adapter, acp]) => [acp, adapter])

interface Programs {
  readonly agents: Readonly<Record<string, { readonly adapter: string }>>
  readonly acp: Readonly<Record<string, unknown>>
}

/**
 * The [acp.NAME] that a program stands for: itself as `acp:NAME`, one of the same name, else the
 * one that belongs to its agent CLI; undefined where there is none.
 */
export function acpFor(config: Programs, program: string): string | undefined {
  const own = acpNameOf(program) ?? program
  if (Object.hasOwn(config.acp, own)) return own
  const adapter = Object.hasOwn(config.agents, program)
    ? config.agents[program]?.adapter
    : undefined
  const belonging =
    adapter !== undefined && Object.hasOwn(OF_ADAPTER, adapter) ? OF_ADAPTER[adapter] : undefined
  return belonging !== undefined && Object.hasOwn(config.acp, belonging) ? belonging : undefined
}
