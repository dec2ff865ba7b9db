import { useState } from 'react'
import { printableLine } from '../../../../src/surfaces/text/printable.ts'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'
import type { ToolInput, ToolResult } from '../../../../src/tools/types.ts'
import { ApiError, wordsOf } from '../../api/errors.ts'
import { useReadOnly } from '../../live/context.tsx'
import { useAction } from '../../live/queries.ts'
import { ChipView } from './chips.tsx'
import {
  checksChip,
  conflictChip,
  mergeChoices,
  reviewChip,
  standsAgainst,
  stateChip,
  type PullDetails,
  type Ticked,
} from './words.ts'

type Strategy = NonNullable<ToolInput<'merge_pr'>['strategy']>

const STRATEGIES: readonly (readonly [Strategy | '', string])[] = [
  ['', 'as usual here'],
  ['squash', 'squash'],
  ['merge', 'merge commit'],
  ['rebase', 'rebase'],
]

/** How it stands, what is against a merge, and the merge. */
export function MergeBox({
  pull,
  head,
  showNew,
}: {
  readonly pull: PullDetails
  /** What was looked at: nothing newer is merged. */
  readonly head: string
  readonly showNew: () => void
}) {
  const readOnly = useReadOnly()
  const against = standsAgainst(pull)
  return (
    <section className="panel merge" aria-label="Merge">
      <header>
        <h2>{pull.state === 'open' ? 'Can it be merged?' : 'How it ended'}</h2>
      </header>
      <div className="padded stack">
        <div className="chips">
          <ChipView chip={stateChip(pull)} />
          <ChipView chip={checksChip(pull)} />
          <ChipView chip={reviewChip(pull)} />
          <ChipView chip={conflictChip(pull)} />
        </div>
        <Standing pull={pull} />
        {against.length > 0 && (
          <ul className="against">
            {against.map((words) => (
              <li key={words}>
                <bdi>{printableLine(words)}</bdi>
              </li>
            ))}
          </ul>
        )}
        {pull.state === 'open' && pull.landing === null && !readOnly && (
          <Merge pull={pull} head={head} showNew={showNew} />
        )}
      </div>
    </section>
  )
}

function Standing({ pull }: { readonly pull: PullDetails }) {
  const { state, landing, scheduled, merge_sha: sha, base_branch: base } = pull
  if (state === 'merged')
    return (
      <p>
        Merged into <bdi className="mono">{printableLine(base)}</bdi>
        {sha !== null && (
          <>
            {' '}
            as <code>{sha.slice(0, 10)}</code>
          </>
        )}
        .
      </p>
    )
  if (state === 'closed') return <p>It was closed without a merge.</p>
  if (landing !== null)
    return (
      <p role="status">
        {landing.step === 'queued'
          ? 'It waits until its result can be checked.'
          : `Its result with ${printableLine(base)} is checked${landing.together.length > 0 ? ` together with ${landing.together.map((other) => `#${other}`).join(', ')}` : ''}.`}{' '}
        It lands by itself when that is green.{' '}
        <span className="hint">for {shortDuration(landing.since_seconds)}</span>
      </p>
    )
  if (scheduled !== null)
    return (
      <p role="status">
        GitHub merges it by itself{' '}
        {scheduled.how === 'queue'
          ? `in the merge queue${scheduled.position === null ? '' : `, position ${scheduled.position}`}`
          : 'once nothing stands against it'}
        ; asked for by {printableLine(scheduled.by)}.
      </p>
    )
  return standsAgainst(pull).length === 0 ? (
    <p>
      Nothing stands against it. It goes into <bdi className="mono">{printableLine(base)}</bdi>.
    </p>
  ) : null
}

function Merge({ pull, head, showNew }: Parameters<typeof MergeBox>[0]) {
  const merge = useAction('merge_pr')
  const [strategy, setStrategy] = useState<Strategy | ''>('')
  const [ticked, setTicked] = useState<Ticked>({ head, force: false, later: false })
  const { offers, chosen } = mergeChoices(pull, head, ticked)
  const tick = (change: Partial<Ticked>) => setTicked({ ...chosen, head, ...change })
  const { error } = merge
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (merge.isPending) return
        merge.mutate({
          pr_number: pull.number,
          head_sha: head,
          force: chosen.force,
          when_ready: chosen.later,
          ...(strategy === '' ? {} : { strategy }),
        })
      }}
    >
      <div className="buttons">
        <button type="submit" className="button primary" disabled={merge.isPending || pull.draft}>
          {merge.isPending ? 'Merging …' : chosen.later ? 'Merge when ready' : 'Merge'}
        </button>
        <label className="inline">
          <span className="sr-only">How it is merged</span>
          <select
            className="field"
            value={strategy}
            onChange={({ target }) => setStrategy(target.value as Strategy | '')}
          >
            {STRATEGIES.map(([value, words]) => (
              <option key={value} value={value}>
                {words}
              </option>
            ))}
          </select>
        </label>
      </div>
      {offers.later && (
        <label className="inline">
          <input
            type="checkbox"
            checked={chosen.later}
            onChange={({ target }) => tick({ later: target.checked })}
          />
          As soon as nothing stands against it
        </label>
      )}
      {offers.force && (
        <label className="inline">
          <input
            type="checkbox"
            checked={chosen.force}
            onChange={({ target }) => tick({ force: target.checked })}
          />
          Merge it although that stands against it
        </label>
      )}
      <div role="status">{merge.data !== undefined && <Merged result={merge.data} />}</div>
      {error !== null && (
        <div role="alert" className="refusal">
          <p className="tone-bad">{firstLine(error)}</p>
          <Rest error={error} />
          {error instanceof ApiError && error.code === 'HEAD_CHANGED' && (
            <button type="button" className="button" onClick={showNew}>
              Look at what is new
            </button>
          )}
        </div>
      )}
    </form>
  )
}

const WORDS: Readonly<Record<ToolResult<'merge_pr'>['state'], string>> = {
  merged: 'Merged.',
  landing: 'Its result is being checked; it lands by itself when that is green.',
  queued: 'It is in the merge queue.',
  auto_merge: 'GitHub merges it once nothing stands against it.',
}

function Merged({ result }: { readonly result: ToolResult<'merge_pr'> }) {
  return (
    <p className="tone-good">
      {WORDS[result.state]}
      {result.pull_error !== undefined && (
        <span className="tone-attention">
          {' '}
          The worktree does not have it yet: {printableLine(result.pull_error)}
        </span>
      )}
    </p>
  )
}

const firstLine = (error: unknown): string => printableLine(wordsOf(error).split('\n')[0] ?? '')

/** New commits by name, or the end of a log. */
function Rest({ error }: { readonly error: unknown }) {
  const commits = error instanceof ApiError ? error.facts['commits'] : undefined
  if (Array.isArray(commits))
    return (
      <ul className="against">
        {commits.map((commit) => (
          <li key={String(commit)} className="mono">
            {printableLine(String(commit))}
          </li>
        ))}
      </ul>
    )
  const [, ...more] = wordsOf(error).split('\n')
  return more.length === 0 ? null : (
    <pre className="log-end" tabIndex={0}>
      {more.map(printableLine).join('\n')}
    </pre>
  )
}
