import type { Config } from '../config/schema.ts'
import type { AttentionPolicy } from './router.ts'

/**
 * `[attention]`: what a role says of an event goes before what all roles say of it, and that before
 * the event’s own definition.
 */
export const attentionOf =
  ({ events, roles }: Pick<Config['attention'], 'events' | 'roles'>): AttentionPolicy =>
  (type, role, reach) =>
    roles[role]?.[type] ?? events[type] ?? reach
