import { readFile } from 'node:fs/promises'
import type { CliContext } from '../context.ts'
import { withProgress } from '../progress.ts'
import { findAgentClis, type AgentProgram } from './agent-programs.ts'
import { withAgent } from './config.ts'
import { rewriteConfiguration, type SetUp } from './initialize.ts'

/**
 * Where `init` found no agent program the first time, and is run again with one installed: both
 * roles get it. Null where nothing was changed: they have one, or somebody wrote about roles.
 */
export async function takeLateAgent(
  context: CliContext,
  setUp: SetUp,
): Promise<AgentProgram[] | null> {
  if (!setUp.already || setUp.wroteConfig || setUp.untrusted.length > 0) return null
  const { configFile, home } = setUp.paths
  const before = await readFile(configFile, 'utf8').catch(() => '')
  // Cheap, and mostly all: looking for programs starts each of them.
  if (withAgent(before, '') === null) return null
  const { agents } = await context.host.loadConfig(configFile)
  const looking = findAgentClis(context, agents, home)
  const found = await withProgress(context, 'Looking for agent programs', looking)
  const [first] = found
  const after = first === undefined ? null : withAgent(before, first.name)
  if (after === null) return null
  await rewriteConfiguration(context, setUp, { before, after })
  return found
}
