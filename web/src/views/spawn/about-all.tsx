import { useId } from 'react'
import type { ToolResult } from '../../api/call.ts'
import type { TreeNode, TreeView } from '../../live/tree.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { isAlive } from '../../../../src/domain/lifecycle.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'

const KINDS: Readonly<Record<string, { readonly title: string; readonly words: string }>> = {
  worker: {
    title: 'Workers',
    words: 'Each does one concrete task on a branch of its own, and spawns nobody.',
  },
  subtree: {
    title: 'Tech lead',
    words: 'Takes work that has to be split up, and spawns agents of its own.',
  },
}

/** What kind of agents: what the tool’s schema allows. */
export function KindField({
  kinds,
  value,
  change,
}: {
  readonly kinds: readonly string[]
  readonly value: string
  readonly change: (kind: string) => void
}) {
  const name = useId()
  return (
    <fieldset className="spawn-kinds">
      <legend className="spawn-label">Kind</legend>
      {kinds.toReversed().map((kind) => (
        <label key={kind} className="spawn-kind">
          <input
            type="radio"
            name={name}
            value={kind}
            checked={kind === value}
            onChange={() => change(kind)}
          />
          <span>
            <strong>{KINDS[kind]?.title ?? kind}</strong>
            <span className="hint">{KINDS[kind]?.words}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

/** Whose children they become, and so which branch they start from and file against. */
export function BaseField({
  tree,
  value,
  change,
}: {
  readonly tree: TreeView
  readonly value: string
  readonly change: (base: string) => void
}) {
  const id = useId()
  const bases = nodesOf(tree.root).filter((node) => mayHaveChildren(node))
  const isThere = value === '' || bases.some((node) => node.id === value)
  return (
    <div className={`spawn-field${isThere ? '' : ' wrong'}`}>
      <label htmlFor={id} className="spawn-label">
        Base
      </label>
      <select
        id={id}
        className="field"
        value={value}
        aria-describedby={`${id}-about`}
        {...(isThere ? {} : { 'aria-invalid': true })}
        onChange={({ target }) => change(target.value)}
      >
        {!isThere && <option value={value}>an agent that has ended</option>}
        {bases.map((node) => (
          <option key={node.id} value={node.kind === 'root' ? '' : node.id}>
            {'\u2003'.repeat(node.depth)}
            {printableLine(node.branch)}
          </option>
        ))}
      </select>
      <p id={`${id}-about`} className={isThere ? 'hint' : 'spawn-fault'}>
        {isThere
          ? 'They start from this branch as it is committed, and file their pull requests against it'
          : 'Choose another base: nobody can be spawned below an agent that has ended.'}
      </p>
    </div>
  )
}

const mayHaveChildren = ({ kind, state }: TreeNode): boolean =>
  kind === 'root' || (kind === 'subtree' && isAlive(state as Parameters<typeof isAlive>[0]))

/** Where it goes, how many there are already, and who is being made. */
export function Under({
  tree,
  base,
  choices,
  adding,
}: {
  readonly tree: TreeView
  readonly base: TreeNode
  readonly choices: ToolResult<'spawn_choices'> | undefined
  /** How many are written into the form. */
  readonly adding: number
}) {
  const making = nodesOf(tree.root).filter(
    ({ state, parent_id: parent }) => state === 'spawning' && parent === base.id,
  )
  return (
    <>
      <dl className="spawn-facts">
        <dt>Below</dt>
        <dd>
          <code>{printableLine(base.branch)}</code>
        </dd>
        <dt>Live now</dt>
        <dd>
          {choices === undefined
            ? plural(tree.counts.live, 'agent')
            : `${choices.limits.live} of ${choices.limits.max_live_agents} agents`}
        </dd>
      </dl>
      {choices !== undefined && (
        <Limits limits={choices.limits} depth={base.depth} adding={adding} />
      )}
      {making.length > 0 && (
        <ul className="spawn-making">
          {making.map(({ id, name }) => (
            <li key={id} className="tone-active">
              <bdi>{printableLine(name)}</bdi> is being made
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** What stands against it, before it is asked for. */
function Limits({
  limits,
  depth,
  adding,
}: {
  readonly limits: ToolResult<'spawn_choices'>['limits']
  /** Of the base. */
  readonly depth: number
  readonly adding: number
}) {
  const { live, max_live_agents: most, max_tree_depth: deepest } = limits
  if (depth + 1 > deepest)
    return (
      <p className="tone-attention">
        It is at depth {depth}, and agents go down to {deepest} (limits.max_tree_depth).
      </p>
    )
  if (live + adding <= most) return null
  return (
    <p className="tone-attention">
      {live >= most ? 'There is no room for another one' : `There is room for ${most - live} more`}{' '}
      (limits.max_live_agents). Merge or kill finished ones first.
    </p>
  )
}
