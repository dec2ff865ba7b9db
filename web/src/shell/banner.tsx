import { useConnection, useStanding } from '../live/context.tsx'
import { useNow } from '../parts/now.ts'
import { relativeTime } from '../../../src/surfaces/text/relative-time.ts'

/** Said while nothing is heard of the daemon: what is shown may be old. */
export function Banner() {
  const { access, link, lostSince, isOld } = useStanding()
  const connection = useConnection()
  const now = useNow()
  if (access.kind !== 'open' || (link !== 'lost' && !isOld))
    return <div role="status" className="sr-only" />
  if (link !== 'lost')
    return (
      <div role="status" className="banner">
        <span>
          <strong>The daemon is of another version than this page.</strong> What you wrote and did
          not send stays.
        </span>
        <button type="button" className="button" onClick={() => location.reload()}>
          Load it again
        </button>
      </div>
    )
  return (
    <div role="status" className="banner">
      <span>
        <strong>The daemon doesn’t answer.</strong> This is how it was{' '}
        {/* Read out once, and not again each second. */}
        <span aria-live="off">{relativeTime(lostSince ?? now, now)}</span>. The page comes back by
        itself; <code>exomonad daemon start</code> starts the daemon.
      </span>
      <button type="button" className="button" onClick={() => connection.retry()}>
        Try now
      </button>
    </div>
  )
}
