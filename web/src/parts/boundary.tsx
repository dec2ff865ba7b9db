import { Component, useEffect, useRef, useState, type ReactNode } from 'react'
import { wordsOf } from '../api/errors.ts'
import { keptForTab } from './storage.ts'
import { useStanding } from '../live/context.tsx'

/** When this tab was loaded anew for a view’s files, and for how long it is not again. Milliseconds. */
const RELOADED = 'exomonad.reloaded'
const AGAIN = 60_000

/** Around a view: a fault in it leaves the rest of the page, and says what to do. */
export class Boundary extends Component<
  { readonly children: ReactNode },
  { readonly fault: unknown }
> {
  override state = { fault: null as unknown }

  static getDerivedStateFromError(fault: unknown) {
    return { fault }
  }

  override render() {
    const { fault } = this.state
    if (fault === null) return this.props.children
    return isNotLoaded(fault) ? <NotLoaded fault={fault} /> : <Fault fault={fault} />
  }
}

function Fault({ fault }: { readonly fault: unknown }) {
  return (
    <div className="state" role="alert">
      <strong>This view has a fault</strong>
      <p>{wordsOf(fault)}</p>
      <p>The daemon may be of another version than this page. Nothing was lost.</p>
      <button type="button" className="button" onClick={() => location.reload()}>
        Load the page again
      </button>
    </div>
  )
}

/**
 * The files of a view that nobody has been to are fetched from the daemon, which may be away then.
 * Browsers don’t ask for a module again that could not be had, so the page is loaded anew; at once
 * where the daemon is there, as it has other files then, of another version.
 */
function NotLoaded({ fault }: { readonly fault: unknown }) {
  const { link } = useStanding()
  const wasAway = useRef(false)
  // What is not there after that either is missing.
  const [isMissing] = useState(() => Date.now() - Number(keptForTab.get(RELOADED) ?? 0) < AGAIN)
  useEffect(() => {
    if (link === 'lost') wasAway.current = true
    else if (link === 'live' && (wasAway.current || !isMissing)) {
      keptForTab.set(RELOADED, String(Date.now()))
      location.reload()
    }
  }, [link, isMissing])
  if (link === 'live' && isMissing) return <Fault fault={fault} />
  return (
    <div className="state" role="status">
      <strong>This view was not loaded yet</strong>
      <p>Its files come from the daemon. It opens by itself when that is back.</p>
    </div>
  )
}

/** As browsers, and what splits the page into files, say it. */
export const isNotLoaded = (fault: unknown): boolean =>
  fault instanceof Error &&
  /dynamically imported module|importing a module script|preload css/i.test(fault.message)
