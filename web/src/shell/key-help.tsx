import { useLayoutEffect, useRef } from 'react'
import { useLocation } from 'wouter'
import { isTyping, LEADS } from '../parts/keys.ts'
import { PLACES } from './places.ts'
import { keysOf } from './view-keys.ts'

/** Keys that hold everywhere, and the list of all of them. */
const EVERYWHERE: readonly (readonly [string, string])[] = [
  ['/', 'search or filter the view'],
  ['j k ↓ ↑', 'next, previous'],
  ['Enter', 'open'],
  ['Esc', 'back, or leave what is written'],
  ['?', 'these keys'],
]

export function KeyHelp() {
  const dialog = useRef<HTMLDialogElement>(null)
  const [path, go] = useLocation()
  const view = keysOf(path)
  // Before it is seen, so that no key is lost that is pressed then.
  useLayoutEffect(() => {
    let leading = Number.NEGATIVE_INFINITY
    const onKey = (event: KeyboardEvent) => {
      if (isTyping(event) || event.ctrlKey || event.metaKey || event.altKey) return
      if (event.timeStamp - leading < LEADS) {
        leading = Number.NEGATIVE_INFINITY
        const place = PLACES.find(({ key }) => key === event.key)
        if (place === undefined) return
        event.preventDefault()
        return go(place.path)
      }
      if (event.key === 'g') leading = event.timeStamp
      else if (event.key === '?') dialog.current?.showModal()
      else if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('main [data-search]')
        if (search === null) return
        event.preventDefault()
        search.focus()
        search.select()
      }
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [go])
  return (
    <>
      <button
        type="button"
        className="button quiet"
        aria-label="Keys"
        title="Keys (?)"
        onClick={() => dialog.current?.showModal()}
      >
        <span aria-hidden="true">?</span>
      </button>
      <dialog ref={dialog} className="keys" aria-label="Keys">
        <form method="dialog">
          <h2>Keys</h2>
          <dl>
            {EVERYWHERE.map(([key, words]) => (
              <div key={key}>
                <dt>
                  <kbd>{key}</kbd>
                </dt>
                <dd>{words}</dd>
              </div>
            ))}
            {PLACES.map(({ key, name }) => (
              <div key={key}>
                <dt>
                  <kbd>g {key}</kbd>
                </dt>
                <dd>{name}</dd>
              </div>
            ))}
          </dl>
          {view !== undefined && (
            <>
              <h2>{view.name}</h2>
              <dl>
                {view.keys.map(([key, words]) => (
                  <div key={key}>
                    <dt>
                      <kbd>{key}</kbd>
                    </dt>
                    <dd>{words}</dd>
                  </div>
                ))}
              </dl>
            </>
          )}
          <button type="submit" className="button">
            Close
          </button>
        </form>
      </dialog>
    </>
  )
}
