import { Link } from 'wouter'
import type { ToolResult } from '../../api/call.ts'
import { agentPath } from '../../shell/places.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'

type Budget = ToolResult<'usage'>['budgets'][number]

const TONES: Readonly<Record<Budget['level'], string>> = {
  fine: 'good',
  warning: 'attention',
  exhausted: 'bad',
}
const KINDS: Readonly<Record<Budget['kind'], string>> = {
  tokens: 'tokens',
  tool_calls: 'tool calls',
  money: '',
}

/** How much of what is allowed is used up. */
export function Budgets({ budgets }: { readonly budgets: readonly Budget[] }) {
  if (budgets.length === 0)
    return (
      <p className="hint">
        There is no budget: <code>[limits]</code> in the configuration sets some.
      </p>
    )
  return (
    <section className="panel cost-budgets" aria-labelledby="budgets">
      <header>
        <h2 id="budgets">Budgets</h2>
      </header>
      <ul>
        {budgets.map((budget) => {
          const { agent_id: id, name, scope, kind, used, limit, level } = budget
          const show = kind === 'money' ? shortMoney : shortCount
          const share = limit > 0 ? Math.min(1, used / limit) : 1
          return (
            <li key={`${id} ${scope} ${kind}`}>
              <span className="cost-budget-name">
                <Link href={agentPath(id)}>
                  <bdi>{printableLine(name)}</bdi>
                </Link>
                {scope === 'subtree' && <span className="hint"> and all below it</span>}
              </span>
              <span className="cost-bar" aria-hidden="true">
                <i className={`tone-${TONES[level]}`} style={{ width: `${share * 100}%` }} />
              </span>
              <span>
                {show(used)} of {show(limit)} {KINDS[kind]}
                {level !== 'fine' && (
                  <span className={`chip tone-${TONES[level]}`}>
                    {level === 'exhausted' ? 'used up' : 'nearly used up'}
                  </span>
                )}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}
