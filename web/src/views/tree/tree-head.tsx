import type { Wish } from './flatten.ts'
import { plural } from '../../../../src/surfaces/text/quantity.ts'

const STATES: readonly (readonly [Wish['state'], string])[] = [
  ['all', 'All'],
  ['needs_me', 'Needs me'],
  ['live', 'Live'],
  ['running', 'Running'],
  ['waiting', 'Waiting'],
  ['idle', 'Idle'],
  ['failed', 'Failed'],
  ['red', 'Red checks'],
  ['done', 'Done'],
]

export function TreeHead({
  wish,
  change,
  shown,
}: {
  readonly wish: Wish
  readonly change: (wish: Wish) => void
  readonly shown: number
}) {
  return (
    <div className="view-head">
      <h1>Tree</h1>
      <input
        type="search"
        data-search
        className="field tree-search"
        placeholder="Search name, branch, task  /"
        aria-label="Search agents"
        value={wish.text}
        onChange={({ target }) => change({ ...wish, text: target.value })}
        onKeyDown={(event) => {
          if (event.key === 'Escape' || event.key === 'Enter') event.currentTarget.blur()
          if (event.key === 'Escape') change({ ...wish, text: '' })
        }}
      />
      <select
        className="field tree-select"
        aria-label="State"
        value={wish.state}
        onChange={({ target }) => change({ ...wish, state: target.value as Wish['state'] })}
      >
        {STATES.map(([state, name]) => (
          <option key={state} value={state}>
            {name}
          </option>
        ))}
      </select>
      <select
        className="field tree-select"
        aria-label="Order"
        value={wish.sort}
        onChange={({ target }) => change({ ...wish, sort: target.value as Wish['sort'] })}
      >
        <option value="age">Oldest first</option>
        <option value="name">By name</option>
        <option value="state">Needs somebody first</option>
      </select>
      <span className="hint" role="status">
        {plural(shown, 'agent')}
      </span>
    </div>
  )
}
