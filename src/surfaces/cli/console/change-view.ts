import type { View, ViewAction } from './state.ts'

/** Older notices go. */
const NOTICES_KEPT = 50

/** One agent as it is seen after an action; the same object where nothing changed. */
export function changeView(view: View, action: ViewAction): View {
  switch (action.type) {
    case 'screen': {
      if (action.text === view.text && view.missing === null && view.seen) return view
      const scroll =
        view.scroll === null ? null : Math.max(0, view.scroll - goneAbove(view.text, action.text))
      return { ...view, seen: true, text: action.text, missing: null, scroll }
    }
    case 'no-screen':
      return view.missing === action.why ? view : { ...view, seen: true, missing: action.why }
    case 'scrollback': {
      const same =
        view.captureLines === action.captureLines &&
        (action.task === undefined || action.task === view.task) &&
        view.entries.length === action.entries.length &&
        view.entries.at(-1)?.seq === action.entries.at(-1)?.seq
      if (same) return view
      const { entries, captureLines, task = view.task } = action
      return { ...view, entries, captureLines, task }
    }
    case 'give-back':
      return { ...view, draft: { text: action.text, cursor: action.text.length } }
    case 'notice':
      return { ...view, notices: [...view.notices, action.notice].slice(-NOTICES_KEPT) }
    case 'sent':
      return { ...view, sent: { at: action.at, state: 'queued' } }
    case 'settled': {
      const { sent } = view
      if (sent === null || sent.state === action.state || sent.state === 'delivered') return view
      return { ...view, sent: { ...sent, state: action.state } }
    }
  }
}

/**
 * How many lines of a terminal’s text went away at its begin, as they do where it keeps no more:
 * who looks back goes on seeing the same.
 */
function goneAbove(before: string, now: string): number {
  const head = now.split('\n', 3).join('\n')
  const text = `\n${before}\n`
  return text.slice(0, Math.max(0, text.indexOf(`\n${head}\n`))).split('\n').length - 1
}
