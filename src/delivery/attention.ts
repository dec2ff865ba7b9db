import type { Config } from '../config/schema.ts'
import type { Finding } from '../config/finding.ts'
import { nearestKey } from '../config/nearest-key.ts'
import { ROUTED_TYPES, type AttentionPolicy } from './router.ts'

/**
 * `[attention]`: what a role says of an event goes before what all roles say of it, and that before
 * the event’s own definition.
 */
export const attentionOf =
  ({ events, roles }: Pick<Config['attention'], 'events' | 'roles'>): AttentionPolicy =>
  (type, role, reach) =>
    roles[role]?.[type] ?? events[type] ?? reach

/** Events in `[attention]` that reach nobody, and so change nothing. */
export function checkAttention({
  events,
  roles,
}: Pick<Config['attention'], 'events' | 'roles'>): Finding[] {
  const tables: [string, Readonly<Record<string, unknown>>][] = [
    ['attention.events', events],
    ...Object.entries(roles).map(
      ([role, table]) => [`attention.roles.${role}`, table] satisfies [string, unknown],
    ),
  ]
  const known: readonly string[] = ROUTED_TYPES
  return tables.flatMap(([key, table]) =>
    Object.keys(table)
      .filter((type) => !known.includes(type))
      .map((type) => {
        const near = nearestKey(type, known)
        const meant =
          near === undefined ? 'docs/reference.md lists those that do' : `did you mean "${near}"?`
        return {
          key: `${key}."${type}"`,
          line: null,
          problem: `no event of this name reaches anybody; ${meant}`,
        }
      }),
  )
}
