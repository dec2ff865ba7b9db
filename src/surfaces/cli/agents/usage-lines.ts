import type { ToolResult } from '../../../tools/types.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { renderTable } from '../../text/table.ts'

type Used = ToolResult<'usage'>
type Amount = Used['total']

const TITLES = { subtree: 'SUBTREE', agent: 'AGENT', model: 'MODEL' } as const

/** A line for each part, the most first, and their sum; then budgets that are nearly used up. */
export function usageLines(
  used: Used,
  { palette, width }: { palette: Palette; width: number },
): string[] {
  const { by, groups, total, undated_tokens: undated, budgets } = used
  if (groups.length === 0)
    return [
      undated === null || undated === 0
        ? 'Nothing was used'
        : `${number(undated)} tokens were used, at times that are not known`,
    ]
  const row = (name: string, amount: Amount) => [
    name,
    number(amount.tokens),
    number(amount.input),
    number(amount.output),
    number(amount.cache_read + amount.cache_write),
    money(amount),
  ]
  const right = (title: string) => ({ title, align: 'end' as const })
  return [
    ...renderTable(
      [{ title: TITLES[by], min: 12 }, ...['TOKENS', 'IN', 'OUT', 'CACHE', 'COST'].map(right)],
      [
        ...groups.map((group) => row(printableLine(group.name), group)),
        ...(groups.length > 1 ? [row('all', total)] : []),
      ],
      { width, palette },
    ),
    ...(undated === null || undated === 0
      ? []
      : [palette.dim(`${number(undated)} more tokens were used at times that are not known`)]),
    ...(total.unpriced_models.length === 0
      ? []
      : [palette.dim(`no price: ${total.unpriced_models.map(printableLine).join(', ')}`)]),
    ...budgets
      .filter(({ level }) => level !== 'fine')
      .map(({ name, scope, kind, used: so, limit, level }) => {
        const whose = `${printableLine(name)}${scope === 'subtree' ? ' and all below it' : ''}`
        const line = `${whose}: ${amountOf(kind, so)} of ${amountOf(kind, limit)}`
        return level === 'exhausted' ? palette.bad(line) : palette.attention(line)
      }),
  ]
}

const number = (value: number): string => value.toLocaleString('en')

const money = ({ cost_usd: usd, unpriced_models: unpriced }: Amount): string =>
  usd === null ? '' : `$${usd.toFixed(2)}${unpriced.length > 0 ? '+' : ''}`

const UNITS = { tokens: ' tokens', tool_calls: ' tool calls', money: '' } as const

const amountOf = (kind: keyof typeof UNITS, value: number): string =>
  kind === 'money' ? `$${value.toFixed(2)}` : `${number(value)}${UNITS[kind]}`
