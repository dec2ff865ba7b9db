import type { Config } from '../../../config/schema.ts'
import { acpCliName } from '../../../domain/acp-names.ts'
import { asExomonadError } from '../../../domain/errors.ts'
import type { Deps } from '../../deps.ts'
import { knownPulls, mergedBranches } from '../../pulls/pull-records.ts'
import { programOfRole } from '../../agents/programs.ts'
import { countsAsLive } from '../../agents/tree.ts'

/** What a spawn may be given, by the configuration of now. */
export interface SpawnChoices {
  roles: {
    name: string
    /** What runs it: NAME of [agents.NAME] or `acp:NAME`; null where none is set. */
    agent: string | null
    /** Why nothing runs it; null where something does. */
    missing: string | null
  }[]
  /** Programs as specs name them, those that run a role first. */
  agents: {
    name: string
    adapter: string
    /** Why it can’t be started; null where it can. */
    missing: string | null
  }[]
  limits: {
    max_live_agents: number
    live: number
    /** Of agents without a terminal. */
    max_live_headless: number
    live_headless: number
    max_tree_depth: number
  }
}

/** Roles that are there without being written. */
const ROLES = ['tl', 'dev']

/** Looks which programs are there; makes nothing. */
export const createSpawnChoices =
  ({ store, settings, paths }: Pick<Deps, 'store' | 'settings' | 'paths'>) =>
  async (): Promise<SpawnChoices> => {
    const configured = await settings.snapshot()
    const { config } = configured
    const missing = async (name: string): Promise<string | null> => {
      const found = await configured.agentCli(name).locate()
      return found.kind === 'missing' ? found.reason : null
    }
    const roles = [...new Set([...ROLES, ...Object.keys(config.roles)])].map((name) => ({
      name,
      ...runnerOf(config, name, paths.configFile),
    }))
    const used = new Set(roles.map(({ agent }) => agent))
    const programs = [
      ...Object.entries(config.agents).map(([name, { adapter }]) => ({ name, adapter })),
      ...Object.keys(config.acp).map((name) => ({ name: acpCliName(name), adapter: 'acp' })),
    ]
    const agents = await Promise.all(
      programs.map(async (program) => ({ ...program, missing: await missing(program.name) })),
    )
    const all = await store.agents.list()
    const merged = mergedBranches(await knownPulls(store))
    const live = all.filter((agent) => countsAsLive(agent, merged))
    const inTerminals = live.filter(({ runtime }) => runtime === 'pane').length
    const { max_live_agents, max_live_headless, max_tree_depth } = config.limits
    return {
      roles: roles.map((role) => ({
        ...role,
        missing: role.missing ?? agents.find(({ name }) => name === role.agent)?.missing ?? null,
      })),
      agents: agents.toSorted((one, other) => rank(one, used) - rank(other, used)),
      limits: {
        max_live_agents,
        live: inTerminals,
        max_live_headless,
        live_headless: live.length - inTerminals,
        max_tree_depth,
      },
    }
  }

function runnerOf(
  config: Config,
  role: string,
  configFile: string,
): { agent: string | null; missing: string | null } {
  try {
    return { agent: programOfRole(config, role, undefined, configFile), missing: null }
  } catch (thrown) {
    return { agent: null, missing: asExomonadError(thrown).message }
  }
}

/** What runs a role, then what is there, then what is not. */
const rank = (
  { name, missing }: { readonly name: string; readonly missing: string | null },
  used: ReadonlySet<string | null>,
): number => (used.has(name) ? 0 : missing === null ? 1 : 2)
