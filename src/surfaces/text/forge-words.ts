import { FORGE_NAMES } from '../../domain/forge-kinds.ts'
import type { ForgeView } from '../../core/agents/tree-document.ts'
import { printableLine } from './printable.ts'
import { timeOfDay } from './relative-time.ts'

/** Looked at so many times slower than configured, a person might wonder. */
const TIGHT = 1.5

/**
 * What a person should know of the forge now; null where all is well. Text from the forge is made
 * printable.
 */
export function forgeWords({ kind, budget, trouble }: ForgeView): string | null {
  const name = FORGE_NAMES[kind]
  if (trouble !== null) {
    const again = trouble.retry_at === null ? '' : `; tried again at ${at(trouble.retry_at)}`
    return `${name} can’t be used since ${at(trouble.since)}: ${printableLine(trouble.reason).replace(/\.$/, '')}${again}`
  }
  if (budget === null) return null
  if (budget.blocked_until !== null)
    return `${name} asks to wait: nothing is asked of it before ${at(budget.blocked_until)}`
  if (budget.slowdown < TIGHT) return null
  const { points } = budget
  const left =
    points === null
      ? ''
      : `: ${points.remaining} of ${points.limit} points are left until ${at(points.reset_at)}`
  return `${name} is looked at ${Math.round(budget.slowdown * 10) / 10} times slower, so that its limit lasts${left}`
}

const at = (time: string): string => timeOfDay(Date.parse(time))
