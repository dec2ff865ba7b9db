import { useState } from 'react'
import { Link } from 'wouter'
import type { ToolResult } from '../../api/call.ts'
import { useTool } from '../../live/queries.ts'
import { useTree } from '../../live/tree.ts'
import { CellText, palette, toneOf } from '../../parts/cell.tsx'
import { Failed, Loading } from '../../parts/states.tsx'
import { agentPath, pullPath } from '../../shell/places.ts'
import { shortDuration } from '../../../../src/surfaces/text/duration.ts'
import {
  ejectedWords,
  FOLD_STATES,
  linkCell,
  testingWords,
} from '../../../../src/surfaces/text/fold-words.ts'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'

type Base = ToolResult<'fold'>['bases'][number]

const TONES: Readonly<Record<Base['state'], string>> = {
  idle: 'dim',
  waiting: 'attention',
  testing: 'active',
  searching: 'bad',
  green: 'good',
  red: 'bad',
}

/** All that is open on a base, link by link in the order of their merges. */
export function ChainPanel({ base, later }: { readonly base: Base; readonly later: number }) {
  const { byId } = useTree()
  const agents = new Map([...byId.values()].map(({ id, name }) => [name, id]))
  return (
    <section className="panel chain" aria-label={`Chain of ${printableLine(base.base)}`}>
      <header>
        <h2 className="mono">
          <bdi>{printableLine(base.base)}</bdi>
        </h2>
        <span className={`chip tone-${TONES[base.state]}`}>{FOLD_STATES[base.state]}</span>
        <span className="hint">for {shortDuration(base.age_seconds + later)}</span>
      </header>
      <ol>
        <li className="chain-base">
          <span className="chain-dot" aria-hidden="true" />
          <span className="hint">
            {printableLine(base.base)}
            {base.onto !== null && (
              <>
                {' '}
                at <code>{base.onto.slice(0, 8)}</code>
              </>
            )}
          </span>
        </li>
        {base.links.map((link) => {
          const cell = linkCell(link, palette)
          const agent = link.agent === null ? undefined : agents.get(link.agent)
          return (
            <li key={link.number} className={`chain-link tone-${toneOf(cell) ?? 'dim'}`}>
              <span className="chain-dot" aria-hidden="true" />
              <div className="chain-words">
                {/* What is not filed yet has no number of its own. */}
                {link.number > 0 ? (
                  <Link href={pullPath(link.number)}>#{link.number}</Link>
                ) : (
                  <span className="hint">not filed</span>
                )}
                <strong className="ellipsis">
                  <bdi>{printableLine(link.title)}</bdi>
                </strong>
                {link.agent !== null &&
                  (agent === undefined ? (
                    <bdi className="hint">{printableLine(link.agent)}</bdi>
                  ) : (
                    <Link href={agentPath(agent)} className="hint">
                      <bdi>{printableLine(link.agent)}</bdi>
                    </Link>
                  ))}
                <span className="chain-end">
                  {link.state === 'untested' && link.landing === null ? (
                    <span className="hint">not checked yet</span>
                  ) : (
                    <CellText cell={cell} chip />
                  )}
                  {link.sha !== null && <code className="hint">{link.sha.slice(0, 8)}</code>}
                  <span className="hint chain-age">{shortDuration(link.age_seconds + later)}</span>
                </span>
              </div>
              {link.number > 0 && link.state !== 'untested' && link.state !== 'conflict' && (
                <CheckLog number={link.number} />
              )}
            </li>
          )
        })}
      </ol>
      {base.testing.map((one) => {
        const since = one.since_seconds + later
        return (
          <div key={one.numbers.join()} className="chain-testing">
            <span className="tone-attention">
              {testingWords({ ...one, since_seconds: Math.floor(since) })}
            </span>
            {one.typical_seconds !== null && (
              <progress
                aria-label="How much of the usual time has passed"
                max={one.typical_seconds}
                value={Math.min(since, one.typical_seconds)}
              />
            )}
          </div>
        )
      })}
      {base.ejected.length > 0 && (
        <ul className="chain-out">
          {base.ejected.map((one) => (
            <li key={one.number}>
              <span>
                <span className="tone-bad" aria-hidden="true">
                  ✗{' '}
                </span>
                {ejectedWords({ ...one, age_seconds: one.age_seconds + later })}
              </span>{' '}
              {[one, one.partner, ...one.others].map((each) =>
                each === null || each.number <= 0 ? null : (
                  <Link key={each.number} href={pullPath(each.number)}>
                    #{each.number}{' '}
                  </Link>
                ),
              )}
              {one.number > 0 && <CheckLog number={one.number} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}

/** What the last check of a link wrote, once somebody wants to see it. */
function CheckLog({ number }: { readonly number: number }) {
  const [isOpen, setOpen] = useState(false)
  const log = useTool('fold_log', { pr_number: number }, { enabled: isOpen })
  return (
    <details className="chain-log" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        what its check wrote<span className="sr-only"> (#{number})</span>
      </summary>
      {isOpen && log.isError && <Failed error={log.error} retry={() => void log.refetch()} />}
      {isOpen && log.isPending && <Loading what="the log" rows={3} />}
      {log.data !== undefined && (
        <pre tabIndex={0} role="region" aria-label={`Log of #${number}`}>
          {printable(log.data.log).trimEnd() || 'It wrote nothing.'}
        </pre>
      )}
    </details>
  )
}
