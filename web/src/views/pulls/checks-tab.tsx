import { useState } from 'react'
import { printable, printableLine } from '../../../../src/surfaces/text/printable.ts'
import { wordsOf } from '../../api/errors.ts'
import { useReadOnly } from '../../live/context.tsx'
import { useAction, useTool } from '../../live/queries.ts'
import { Empty, Loading } from '../../parts/states.tsx'
import { ChipView } from './chips.tsx'
import { Log } from './log.tsx'
import { checkChip, type PullDetails } from './words.ts'

/** What checks its head, each with its log in place. */
export function ChecksTab({ pull }: { readonly pull: PullDetails }) {
  const readOnly = useReadOnly()
  const rerun = useAction('pr_checks')
  const failed = pull.check_runs.find(({ status }) => status === 'failed' || status === 'timed_out')
  const [open, setOpen] = useState<string | null>(failed?.name ?? null)
  if (pull.check_runs.length === 0 && pull.queue_checks.length === 0)
    return (
      <Empty title="No checks have run on it">
        <p>
          The command in <code>forge.local.ci</code>, or the workflows of the forge, check each
          head.
        </p>
      </Empty>
    )
  return (
    <div className="panel checks">
      <header>
        <h2>Checks of {pull.head_sha.slice(0, 8)}</h2>
        {!readOnly && pull.state === 'open' && (
          <button
            type="button"
            className="button"
            disabled={rerun.isPending}
            onClick={() => rerun.mutate({ pr_number: pull.number, rerun: true })}
          >
            Run again
          </button>
        )}
        <span role="status" className={rerun.error === null ? 'hint' : 'tone-bad'}>
          {rerun.error !== null && wordsOf(rerun.error)}
          {rerun.data?.rerun === 'started' && 'Started again.'}
          {rerun.data?.rerun === 'running' && 'They run already: left alone.'}
        </span>
      </header>
      <ul>
        {[...pull.check_runs, ...pull.queue_checks].map((check, index) => {
          const isOpen = open === check.name && index < pull.check_runs.length
          const isLink = check.url !== null && /^https?:/.test(check.url)
          return (
            <li key={index}>
              <div className="check">
                <ChipView chip={checkChip(check.status)} />
                <bdi className="ellipsis">{printableLine(check.name)}</bdi>
                {!check.required && <span className="hint">not required</span>}
                {index >= pull.check_runs.length && (
                  <span className="hint">in the merge queue</span>
                )}
                <span className="buttons end">
                  {isLink && (
                    <a href={check.url ?? ''} target="_blank" rel="noreferrer noopener">
                      On the forge
                    </a>
                  )}
                  {index < pull.check_runs.length && check.status !== 'queued' && (
                    <button
                      type="button"
                      className="button"
                      aria-expanded={isOpen}
                      onClick={() => setOpen(isOpen ? null : check.name)}
                    >
                      Log
                    </button>
                  )}
                </span>
              </div>
              {isOpen && (
                <CheckLog
                  number={pull.number}
                  name={check.name}
                  status={check.status}
                  tail={check.log_tail}
                />
              )}
            </li>
          )
        })}
      </ul>
    </div>
  )
}

function CheckLog({
  number,
  name,
  status,
  tail,
}: {
  readonly number: number
  readonly name: string
  readonly status: string
  readonly tail: string | null
}) {
  const { data, error } = useTool('pr_checks', { pr_number: number, log: name }, { keep: true })
  if (error !== null && data === undefined)
    return (
      <div className="padded">
        <p role="alert" className="tone-bad">
          {wordsOf(error)}
        </p>
        {tail !== null && <Log text={printable(tail)} name={name} />}
      </div>
    )
  if (data === undefined)
    return (
      <div className="padded">
        <Loading what="the log" rows={6} />
      </div>
    )
  const text = printable(data.log ?? '').trimEnd()
  return text === '' ? (
    <p className="hint padded">
      {status === 'running' ? 'It has said nothing yet.' : 'It said nothing.'}
    </p>
  ) : (
    <Log text={text} name={name} />
  )
}
