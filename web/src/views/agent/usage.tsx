import type { TreeNode } from '../../live/tree.ts'
import { Empty } from '../../parts/states.tsx'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { plural, shortCount, shortMoney } from '../../../../src/surfaces/text/quantity.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { OverTime } from './over-time.tsx'

/** What it used so far, by model, and all below it together. */
export function Usage({ node }: { readonly node: TreeNode }) {
  const all = nodesOf(node)
  const cost = all.reduce((sum, { cost_usd: usd }) => sum + (usd ?? 0), 0)
  const tokens = all.reduce((sum, each) => sum + each.tokens, 0)
  const models = Object.entries(node.usage ?? {})
  return (
    <div className="agent-usage">
      <dl className="agent-facts">
        <div>
          <dt>Itself</dt>
          <dd>
            {shortCount(node.tokens)} tokens
            {node.cost_usd === null ? '' : `, ${shortMoney(node.cost_usd)}`},{' '}
            {plural(node.tool_calls, 'tool call')}
          </dd>
        </div>
        {all.length > 1 && (
          <div>
            <dt>With {plural(all.length - 1, 'agent')} below</dt>
            <dd>
              {shortCount(tokens)} tokens{cost === 0 ? '' : `, ${shortMoney(cost)}`}
            </dd>
          </div>
        )}
      </dl>
      {models.length === 0 ? (
        <Empty title="Its program reports no tokens by model" />
      ) : (
        <table>
          <thead>
            <tr>
              <th scope="col">Model</th>
              <th scope="col">In</th>
              <th scope="col">Out</th>
              <th scope="col">Cache read</th>
              <th scope="col">Cache write</th>
            </tr>
          </thead>
          <tbody>
            {models.map(([model, used]) => (
              <tr key={model}>
                <th scope="row">{printableLine(model)}</th>
                <td>{shortCount(used.input)}</td>
                <td>{shortCount(used.output)}</td>
                <td>{shortCount(used.cache_read)}</td>
                <td>{shortCount(used.cache_write)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {node.unpriced_models.length > 0 && (
        <p className="hint">
          No price is configured for {node.unpriced_models.map(printableLine).join(', ')}.
        </p>
      )}
      <OverTime agent={node.id} hasBelow={all.length > 1} />
    </div>
  )
}
