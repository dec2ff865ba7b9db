import { useId } from 'react'
import type { TreeView } from '../../live/tree.ts'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { nodesOf } from '../../../../src/surfaces/text/tree/rows.ts'
import { KINDS } from './kinds.ts'
import { fieldText, PRESET_NAMES, PRESETS, type Preset, type Range } from './ranges.ts'

interface Props {
  readonly preset: Preset | null
  readonly range: Range
  readonly groups: readonly string[]
  readonly everything: boolean
  readonly under: string | null
  readonly tree: TreeView | null
  /** Of the address; null takes it away. */
  readonly change: (changes: Readonly<Record<string, string | null>>) => void
}

/** Which time, of what, about whom. */
export function Filters({ preset, range, groups, everything, under, tree, change }: Props) {
  const id = useId()
  const nodes = tree === null ? [] : nodesOf(tree.root)
  const custom = (from: string, to: string) => {
    if (from !== '') change({ range: null, from, to })
  }
  const from = fieldText(range.since)
  const to = range.until === null ? '' : fieldText(range.until)
  return (
    <div className="view-head timeline-head">
      <h1>Timeline</h1>
      <div className="timeline-presets" role="group" aria-label="Time">
        {PRESETS.map((one) => (
          <button
            key={one}
            type="button"
            className="button"
            aria-pressed={one === preset}
            onClick={() => change({ range: one, from: null, to: null })}
          >
            {PRESET_NAMES[one]}
          </button>
        ))}
      </div>
      <div className="timeline-custom" role="group" aria-label="From and to">
        <label htmlFor={`${id}-from`}>from</label>
        <input
          id={`${id}-from`}
          type="datetime-local"
          className="field"
          value={from}
          onChange={({ target }) => custom(target.value, to)}
        />
        <label htmlFor={`${id}-to`}>to</label>
        <input
          id={`${id}-to`}
          type="datetime-local"
          className="field"
          value={to}
          onChange={({ target }) => custom(from, target.value)}
        />
      </div>
      <select
        className="field timeline-under"
        aria-label="Agent, and those below it"
        value={under ?? ''}
        onChange={({ target }) => change({ under: target.value })}
      >
        <option value="">All agents</option>
        {under !== null && !nodes.some((node) => node.id === under) && (
          <option value={under}>{printableLine(under)}</option>
        )}
        {nodes.map((node) => (
          <option key={node.id} value={node.id}>
            {'\u2003'.repeat(node.depth)}
            {printableLine(node.depth === 0 ? node.branch : node.short)}
          </option>
        ))}
      </select>
      <div className="timeline-kinds" role="group" aria-label="What">
        {KINDS.map((kind) => (
          <button
            key={kind.id}
            type="button"
            className="timeline-kind"
            aria-pressed={groups.includes(kind.id)}
            onClick={() =>
              change({
                what: (groups.includes(kind.id)
                  ? groups.filter((one) => one !== kind.id)
                  : [...groups, kind.id]
                ).join(','),
              })
            }
          >
            {kind.name}
          </button>
        ))}
        <button
          type="button"
          className="timeline-kind"
          aria-pressed={everything}
          title="Also what matters little, such as each change of a state"
          onClick={() => change({ all: everything ? null : 'true' })}
        >
          everything
        </button>
      </div>
    </div>
  )
}
