import { useRef, useState } from 'react'
import { wordsOf } from '../api/errors.ts'
import { closeSession } from '../api/session.ts'
import { LeaveIcon } from './icons.tsx'

/** Ends what this browser’s link opened, once one knows that the way back is a new link. */
export function LogOut() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [isEnding, setEnding] = useState(false)
  const [error, setError] = useState<string | null>(null)
  const end = async () => {
    setEnding(true)
    setError(null)
    try {
      await closeSession()
      // Loaded anew: nothing that was read stays in the tab.
      location.replace('/?link=ended')
    } catch (thrown) {
      setError(wordsOf(thrown))
      setEnding(false)
    }
  }
  return (
    <>
      <button
        type="button"
        className="button quiet"
        aria-label="Log out"
        title="Log out"
        onClick={() => dialog.current?.showModal()}
      >
        <LeaveIcon />
      </button>
      <dialog ref={dialog} className="log-out" aria-label="Log out">
        <form method="dialog">
          <h2>Log out</h2>
          <p>
            Every tab of this browser loses the page. The agents go on, and what you wrote and did
            not send stays in its tab. To come back, run <code>exomonad web</code>.
          </p>
          {error !== null && (
            <p role="alert" className="tone-bad">
              {error} You are still logged in.
            </p>
          )}
          <div className="buttons">
            <button type="submit" className="button">
              Cancel
            </button>
            <button
              type="button"
              className="button primary"
              disabled={isEnding}
              onClick={() => void end()}
            >
              Log out
            </button>
          </div>
        </form>
      </dialog>
    </>
  )
}
