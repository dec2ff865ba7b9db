import type { Config } from '../../config/schema.ts'
import { acpNameOf } from '../../domain/acp-names.ts'
import type { Agent } from '../../domain/records.ts'
import { LIMITS, parseSize, type Bound, type Bounds } from '../../domain/formats/resource-limits.ts'

/** What is configured for an agent, by its role and by its program: of each the lower. */
export function boundsOf(
  { roles, agents, acp }: Pick<Config, 'roles' | 'agents' | 'acp'>,
  { role, agentCli }: Pick<Agent, 'role' | 'agentCli'>,
): Bounds {
  const session = agentCli === null ? undefined : acpNameOf(agentCli)
  const program =
    agentCli === null
      ? undefined
      : session === undefined
        ? { key: `agents.${agentCli}`, limits: agents[agentCli]?.limits }
        : { key: `acp.${session}`, limits: acp[session]?.limits }
  const places = [{ key: `roles.${role}`, limits: roles[role]?.limits }, program]
  return chosen(places, (one, other) => one.value - other.value)
}

/** What nobody alone is held to: of each the highest that any role or program has. */
export const widestBounds = ({
  roles,
  agents,
  acp,
}: Pick<Config, 'roles' | 'agents' | 'acp'>): Bounds =>
  chosen(
    Object.entries({ roles, agents, acp }).flatMap(([table, all]) =>
      Object.entries(all).map(([name, { limits }]) => ({ key: `${table}.${name}`, limits })),
    ),
    (one, other) => other.value - one.value,
  )

interface Place {
  readonly key: string
  readonly limits?: Config['roles'][string]['limits']
}

/** Of each limit the first in this order. */
function chosen(
  places: readonly (Place | undefined)[],
  order: (one: Bound, other: Bound) => number,
): Bounds {
  const bounds: { -readonly [Limit in keyof Bounds]: Bound } = {}
  for (const limit of LIMITS) {
    const all = places.flatMap((place): Bound[] => {
      const written = place?.limits?.[limit]
      const value = typeof written === 'string' ? parseSize(written) : written
      return place === undefined || value === undefined
        ? []
        : [{ value, key: `${place.key}.limits.${limit}` }]
    })
    const [first] = all.toSorted(order)
    if (first !== undefined) bounds[limit] = first
  }
  return bounds
}
