import { printableLine } from '../../../../../src/surfaces/text/printable.ts'

/** What an agent wants opened is shown whole before it is. */
export function Leave({ url, done }: { readonly url: string; readonly done: () => void }) {
  return (
    <div
      className="terminal-link"
      role="alertdialog"
      aria-label="Open a link"
      onKeyDown={(event) => {
        if (event.key === 'Escape') done()
      }}
    >
      <span>Open</span>
      <code>{printableLine(url)}</code>
      <button
        type="button"
        className="button primary"
        autoFocus
        onClick={() => {
          window.open(url, '_blank', 'noopener,noreferrer')
          done()
        }}
      >
        Open
      </button>
      <button type="button" className="button" onClick={done}>
        Don’t
      </button>
    </div>
  )
}
