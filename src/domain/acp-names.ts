/**
 * How an agent that is a session of the Agent Client Protocol names its program: `acp:NAME`, of
 * [acp.NAME].
 */
const PREFIX = 'acp:'

export const acpCliName = (name: string): string => `${PREFIX}${name}`

/** NAME of `acp:NAME`; undefined for an [agents.NAME]. */
export const acpNameOf = (cliName: string): string | undefined =>
  cliName.startsWith(PREFIX) ? cliName.slice(PREFIX.length) : undefined
