import type { LaunchPlan } from '../../adapters/agent-cli/agent-cli.ts'
import type { Config } from '../../config/schema.ts'
import type { Agent } from '../../domain/records.ts'
import type { Paths } from '../../runtime/paths.ts'
import type { Deps } from '../deps.ts'

export type SandboxLevel = Config['roles'][string]['sandbox']

/** A program that is to be started confined. */
export interface Confinable {
  readonly level: Exclude<SandboxLevel, 'off'>
  readonly agent: Agent
  readonly config: Config
  readonly argv: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly personal: NonNullable<LaunchPlan['personal']>
  /** Ports of 127.0.0.1 that it listens on, and that we have to reach. */
  readonly listens: readonly number[]
  /** Hosts that its model is reached at. */
  readonly hosts: readonly string[]
}

const STRICTER: readonly SandboxLevel[] = ['off', 'workspace', 'offline']

const stricter = (one: SandboxLevel, other: SandboxLevel): SandboxLevel =>
  STRICTER.indexOf(one) >= STRICTER.indexOf(other) ? one : other

/** What is configured for the agent itself, by its role and by its program. */
const configuredLevel = (
  config: Config,
  { role, agentCli }: Pick<Agent, 'role' | 'agentCli'>,
): SandboxLevel =>
  stricter(
    config.roles[role]?.sandbox ?? 'off',
    (agentCli === null ? undefined : config.agents[agentCli]?.sandbox) ?? 'off',
  )

/**
 * Whether it works in the person’s own checkout, as the root and its forks do: whose git folder is
 * all its own to write, so that nothing would hold it.
 */
export const isInCheckout = (
  paths: Pick<Paths, 'home'>,
  { kind, worktree }: Pick<Agent, 'kind' | 'worktree'>,
): boolean => kind === 'root' || worktree === paths.home

/**
 * How an agent is confined: the strictest of what is configured for it and for all above it. What a
 * confined agent starts must not reach further than itself.
 */
export async function confinementOf(
  { store, paths }: Pick<Deps, 'store'> & { paths: Pick<Paths, 'home'> },
  config: Config,
  agent: Agent,
): Promise<SandboxLevel> {
  if (isInCheckout(paths, agent)) return 'off'
  let level = configuredLevel(config, agent)
  for (let parentId = agent.parentId; parentId !== null;) {
    const parent = await store.agents.get(parentId)
    if (parent === undefined) break
    if (!isInCheckout(paths, parent)) level = stricter(level, configuredLevel(config, parent))
    parentId = parent.parentId
  }
  return level
}

/** Whoever configured a sandbox must not believe that it holds where it does not. */
export const unconfinedNotice = (
  paths: Pick<Paths, 'home'>,
  config: Config,
  agent: Agent,
): string[] =>
  configuredLevel(config, agent) !== 'off' && isInCheckout(paths, agent)
    ? [`${agent.name} is not confined: it works in your own checkout. What it spawns is.`]
    : []
