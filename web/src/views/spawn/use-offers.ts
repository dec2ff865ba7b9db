import { useMemo } from 'react'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import type { ToolResult } from '../../api/call.ts'
import type { Offer } from './field.tsx'

/** Roles and programs to choose from, as they are configured; none while that is not known. */
export function useOffers(
  choices: ToolResult<'spawn_choices'> | undefined,
  kind: string,
): Readonly<Record<string, Offer>> {
  return useMemo(() => {
    if (choices === undefined) return {}
    const { roles, agents } = choices
    const byKind = kind === 'worker' ? 'dev' : 'tl'
    return {
      role: {
        otherwise: `${byKind}, as every ${kind === 'worker' ? 'worker' : 'tech lead'}`,
        names: roles.map(({ name, agent, missing }) => ({
          name,
          words: printableLine(
            `${name}${agent === null ? ' (no program set)' : ` (${agent}${missing === null ? '' : ', not there'})`}`,
          ),
        })),
      },
      agent: {
        otherwise: 'that of its role',
        names: agents.map(({ name, missing }) => ({
          name,
          words: printableLine(`${name}${missing === null ? '' : ' (not installed)'}`),
        })),
      },
    }
  }, [choices, kind])
}
