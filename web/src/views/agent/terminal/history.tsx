import { SearchAddon } from '@xterm/addon-search'
import { useEffect, useRef, useState } from 'react'
import { call } from '../../../api/call.ts'
import { wordsOf } from '../../../api/errors.ts'
import { createScreen, type Screen } from './screen.ts'

/** As much as is kept of a terminal anywhere. */
const LINES = 20_000
const MARKS = {
  decorations: {
    matchBackground: '#5c4a12',
    matchOverviewRuler: '#f2b75c',
    activeMatchBackground: '#8a5200',
    activeMatchColorOverviewRuler: '#ffffff',
  },
} as const

type Found = { readonly at: number; readonly count: number }

/**
 * What has scrolled out of a terminal, as the holder of it keeps that, with a search. It stands
 * still while one reads; `close` goes back to what is live.
 */
export default function History({
  agent,
  columns,
  screenReader,
  link,
  close,
}: {
  readonly agent: string
  readonly columns: number
  readonly screenReader: boolean
  readonly link: (url: string) => void
  readonly close: () => void
}) {
  const region = useRef<HTMLDivElement>(null)
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const screen = useRef<{ screen: Screen; search: SearchAddon } | null>(null)
  const [state, setState] = useState<'reading' | 'there' | 'empty' | { readonly why: string }>(
    'reading',
  )
  const [text, setText] = useState('')
  const [found, setFound] = useState<Found | null>(null)

  useEffect(() => {
    if (box.current === null) return
    const reading = new AbortController()
    const made = createScreen(box.current, { scrollback: LINES, screenReader, link })
    const search = new SearchAddon()
    made.terminal.loadAddon(search)
    made.terminal.options.disableStdin = true
    made.terminal.options.cursorBlink = false
    search.onDidChangeResults(({ resultIndex, resultCount }) =>
      setFound({ at: resultIndex + 1, count: resultCount }),
    )
    screen.current = { screen: made, search }
    const size = made.grid()
    made.terminal.resize(columns > 0 ? columns : (size?.columns ?? 80), size?.rows ?? 24)
    const observer = new ResizeObserver(() => {
      const now = made.grid()
      if (now !== undefined) made.terminal.resize(made.terminal.cols, now.rows)
    })
    observer.observe(box.current)
    // At once, for its keys to work, and not when it was read: by then somebody may be writing in the
    // field, and what they write would go nowhere.
    if (region.current?.contains(document.activeElement) !== true) made.terminal.focus()
    made.terminal.attachCustomWheelEventHandler((event) => {
      const { viewportY, baseY } = made.terminal.buffer.active
      if (event.deltaY > 0 && viewportY >= baseY) close()
      return true
    })
    made.terminal.attachCustomKeyEventHandler((event) => {
      if (event.type !== 'keydown') return false
      const keys: Readonly<Record<string, () => void>> = {
        Escape: close,
        End: close,
        Home: () => made.terminal.scrollToTop(),
        PageUp: () => made.terminal.scrollPages(-1),
        PageDown: () => made.terminal.scrollPages(1),
        ArrowUp: () => made.terminal.scrollLines(-1),
        ArrowDown: () => made.terminal.scrollLines(1),
        '/': () => field.current?.focus(),
      }
      if (event.ctrlKey || event.metaKey || event.altKey) return false
      const act = keys[event.key]
      if (act === undefined) return false
      event.preventDefault()
      event.stopPropagation()
      act()
      return false
    })
    call('screen', { agent, lines: LINES, styled: true }, { signal: reading.signal }).then(
      ({ styled_text: styled = '' }) => {
        if (reading.signal.aborted) return
        made.terminal.write(styled.replace(/\n/g, '\r\n'), () => {
          setState(made.terminal.buffer.active.baseY === 0 ? 'empty' : 'there')
          made.terminal.scrollLines(-Math.ceil(made.terminal.rows / 2))
        })
      },
      (thrown: unknown) => {
        if (!reading.signal.aborted) setState({ why: wordsOf(thrown) })
      },
    )
    return () => {
      reading.abort(new Error('left'))
      observer.disconnect()
      screen.current = null
      made.dispose()
    }
    // Made once for each time that it is opened: what it shows stands still.
  }, [agent])

  const look = (back: boolean, incremental = false) => {
    const { search } = screen.current ?? {}
    if (text === '') {
      search?.clearDecorations()
      setFound(null)
    } else if (back) search?.findPrevious(text, MARKS)
    else search?.findNext(text, { ...MARKS, incremental })
  }
  // What was searched for before it was there is found then.
  useEffect(() => look(true), [text, state])

  return (
    <div
      ref={region}
      className="terminal-history"
      role="region"
      aria-label="What was on the terminal before"
    >
      <div className="terminal-bar">
        <input
          ref={field}
          type="search"
          className="field terminal-search"
          placeholder="Search in what was"
          aria-label="Search in what was on the terminal"
          value={text}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={(event) => {
            event.stopPropagation()
            if (event.key === 'Enter') look(!event.shiftKey)
            else if (event.key === 'Escape') {
              if (text === '') close()
              else setText('')
            }
          }}
        />
        <span className="hint" role="status">
          {state === 'reading' && 'Reading…'}
          {state === 'empty' &&
            'Nothing has scrolled away; a program that draws its whole screen keeps its own history.'}
          {typeof state === 'object' && state.why}
          {state === 'there' &&
            found !== null &&
            (found.count === 0 ? 'not found' : `${found.at} of ${found.count}`)}
        </span>
        <button type="button" className="button" onClick={() => look(true)} disabled={text === ''}>
          Earlier
        </button>
        <button type="button" className="button" onClick={() => look(false)} disabled={text === ''}>
          Later
        </button>
        <button type="button" className="button primary" onClick={close}>
          Back to live
        </button>
      </div>
      <div className="terminal-box" ref={box} />
    </div>
  )
}
