import { useCallback, useEffect, useRef, useState } from 'react'
import { lazy, Suspense } from 'react'
import { printableLine } from '../../../../../src/surfaces/text/printable.ts'
import { openLink, type Standing, type TerminalLink } from './link.ts'
import { createScreen, type Screen } from './screen.ts'
import { Failed } from '../../../parts/states.tsx'
import { keptForAll } from '../../../parts/storage.ts'
import { Leave } from './leave.tsx'

const History = lazy(() => import('./history.tsx'))

/** Where the wish for a screen reader’s mode is kept. */
const READER = 'exomonad.screen-reader'
/** Lines of what has no terminal that can be scrolled back to. */
const OUTPUT_LINES = 10_000

interface Props {
  readonly agent: string
  readonly name: string
  /** Its program is gone. */
  readonly isOver: boolean
  readonly readOnly: boolean
}

/** One pane, drawn here: to look at first, and to type in after a click. */
export default function LiveTerminal({ agent, name, isOver, readOnly }: Props) {
  const box = useRef<HTMLDivElement>(null)
  const stopButton = useRef<HTMLButtonElement>(null)
  const parts = useRef<{ screen: Screen; link: TerminalLink } | null>(null)
  const [standing, setStanding] = useState<Standing | null>(null)
  const current = useRef<Standing | null>(null)
  const [reader, setReader] = useState(() => keptForAll.get(READER) === 'on')
  const [past, setPast] = useState(false)
  const [url, setUrl] = useState<string | null>(null)

  /** The letters, or the grid, as the mode wants them. */
  const fit = useCallback(() => {
    const { screen, link } = parts.current ?? {}
    const now = current.current
    if (screen === undefined || now === null) return
    if (now.opened?.kind === 'output') screen.fill()
    else if (now.opened?.mode === 'type' && (now.state?.part ?? null) === null) {
      screen.fill()
      const size = screen.grid()
      if (size !== undefined) link?.resize(size)
    } else if (now.state !== null) screen.show(now.state)
  }, [])

  useEffect(() => {
    if (box.current === null) return
    const screen = createScreen(box.current, {
      scrollback: 0,
      screenReader: keptForAll.get(READER) === 'on',
      link: setUrl,
    })
    const { terminal } = screen
    let clearFirst = false
    const link = openLink(agent, {
      clear: () => (clearFirst = true),
      draw: (bytes, done) => {
        if (clearFirst) terminal.reset()
        clearFirst = false
        terminal.write(bytes, done)
      },
      change: (next) => {
        const before = current.current
        current.current = next
        setStanding(next)
        const isOutput = next.opened?.kind === 'output'
        terminal.options.scrollback = isOutput ? OUTPUT_LINES : 0
        terminal.options.disableStdin = next.opened?.mode !== 'type'
        const sized = sizeOf(before) !== sizeOf(next)
        if (sized || before?.opened !== next.opened) fit()
      },
    })
    parts.current = { screen, link }
    const letGo = () => {
      link.letGo()
      stopButton.current?.focus()
    }
    terminal.onData(link.type)
    terminal.onBinary(link.type)
    terminal.attachCustomKeyEventHandler((event) =>
      handleKey(event, screen, letGo, current.current),
    )
    terminal.attachCustomWheelEventHandler((event) => {
      const { kind, mode } = current.current?.opened ?? {}
      if (kind === 'output') return true
      // A program that asks for the mouse has something to scroll by itself, as in any terminal.
      if (mode === 'type' && /^(?:vt200|drag|any)$/.test(terminal.modes.mouseTrackingMode))
        return true
      if (event.deltaY < 0) setPast(true)
      return false
    })
    const observer = new ResizeObserver(fit)
    observer.observe(box.current)
    return () => {
      observer.disconnect()
      parts.current = null
      link.close()
      screen.dispose()
    }
  }, [agent, fit])

  const opened = standing?.opened ?? null
  const types = opened?.mode === 'type' && !isOver
  // Whose program ends takes no keys any more: the page has its own again.
  useEffect(() => {
    if (!isOver || current.current?.opened?.mode !== 'type') return
    const hadFocus = box.current?.contains(document.activeElement) === true
    parts.current?.link.letGo()
    if (hadFocus) document.getElementById('main')?.focus()
  }, [isOver])
  const mayType = opened?.may_type === true && !readOnly && !isOver
  const takeKeys = () => {
    const { screen, link } = parts.current ?? {}
    if (screen === undefined || !mayType || types || past) return
    screen.terminal.focus()
    screen.fill()
    link?.takeKeys(screen.grid() ?? { columns: 80, rows: 24 })
  }
  const letGo = () => {
    parts.current?.link.letGo()
    stopButton.current?.focus()
  }
  const close = useCallback(() => {
    setPast(false)
    parts.current?.screen.terminal.focus()
  }, [])
  const openUrl = useCallback((next: string) => setUrl(next), [])

  return (
    <section
      className="terminal-frame"
      aria-label={`Terminal of ${name}`}
      data-mode={isOver ? 'look' : (opened?.mode ?? 'none')}
    >
      <div className="terminal-bar">
        <Lock standing={standing} isOver={isOver} readOnly={readOnly} />
        <span className="ellipsis hint terminal-title">
          {standing?.state == null ? '' : printableLine(standing.state.title)}
        </span>
        {opened?.kind === 'terminal' && (
          <button type="button" className="button" onClick={() => setPast(true)} disabled={past}>
            History
          </button>
        )}
        <button
          type="button"
          className="button"
          aria-pressed={reader}
          title="Has what stands there read out by a screen reader"
          onClick={() => {
            const next = !reader
            setReader(next)
            keptForAll.set(READER, next ? 'on' : 'off')
            if (parts.current !== null)
              parts.current.screen.terminal.options.screenReaderMode = next
          }}
        >
          Screen reader
        </button>
        {mayType && (
          <button
            ref={stopButton}
            type="button"
            className={types ? 'button primary' : 'button'}
            title={types ? 'Ctrl-Shift-Esc or Ctrl-Shift-L' : undefined}
            onClick={types ? letGo : takeKeys}
          >
            {types ? 'Stop typing' : opened.kind === 'output' ? 'Take the Escape key' : 'Type'}
          </button>
        )}
      </div>
      {url !== null && (
        <Leave
          url={url}
          done={() => {
            setUrl(null)
            parts.current?.screen.terminal.focus()
          }}
        />
      )}
      <div className="terminal-stage">
        <div
          ref={box}
          className="terminal-box"
          {...(types ? { 'data-takes-keys': true } : {})}
          onClick={() => {
            const { screen } = parts.current ?? {}
            // Whoever marks something wants to copy it: the size stays, and with it what is marked.
            if (screen?.isOverLink !== true && screen?.terminal.hasSelection() !== true) takeKeys()
          }}
        />
        {standing?.phase === 'refused' && (
          <div className="terminal-over">
            <Failed error={new Error(standing.why)} retry={() => parts.current?.link.retry()} />
          </div>
        )}
        {past && (
          <Suspense fallback={null}>
            <History
              agent={agent}
              columns={standing?.state?.columns ?? 0}
              screenReader={reader}
              link={openUrl}
              close={close}
            />
          </Suspense>
        )}
      </div>
    </section>
  )
}

const sizeOf = (standing: Standing | null): string => {
  const { columns, rows, part } = standing?.state ?? {}
  return JSON.stringify([columns, rows, part])
}

/** False: it is none of the terminal’s. */
function handleKey(
  event: KeyboardEvent,
  { terminal }: Screen,
  letGo: () => void,
  standing: Standing | null,
): boolean {
  if (event.type !== 'keydown') return true
  const combined = event.ctrlKey && event.shiftKey
  if (standing?.opened?.mode !== 'type') return false
  if (combined && (event.key === 'Escape' || event.code === 'KeyL')) {
    event.preventDefault()
    // To the button that says so, and not to nowhere: one goes on from there by keyboard.
    letGo()
    return false
  }
  // The browser’s own way of pasting follows.
  if (combined && event.code === 'KeyV') return false
  // As is its own way of copying, which needs no right to the clipboard and no secure context.
  if (event.ctrlKey && event.code === 'KeyC' && terminal.hasSelection()) {
    setTimeout(() => terminal.clearSelection())
    return false
  }
  return true
}

/** Who types, or why nobody can. */
function Lock({
  standing,
  isOver,
  readOnly,
}: {
  readonly standing: Standing | null
  readonly isOver: boolean
  readonly readOnly: boolean
}) {
  const [tone, words, more] = lockWords(standing, isOver, readOnly)
  return (
    <span className={`chip ${tone}`} role="status" title={more}>
      {words}
    </span>
  )
}

function lockWords(
  standing: Standing | null,
  isOver: boolean,
  readOnly: boolean,
): [tone: string, words: string, more: string] {
  if (standing === null || standing.phase === 'connecting') return ['', 'Connecting…', '']
  const { phase, opened, state, why } = standing
  if (phase === 'lost')
    return ['tone-attention', 'Connection lost; trying again', 'What stands here may be old.']
  if (phase === 'over') return ['', `Ended: ${why}`, 'This is the last of it.']
  if (phase === 'refused') return ['tone-bad', 'Not shown', why]
  if (isOver) return ['', 'Its program has ended', 'This is the last of it.']
  if (why !== '') return ['tone-bad', why, '']
  if (opened?.mode === 'type')
    return state?.leads === 'other'
      ? [
          'tone-attention',
          'You may type; somebody else did last',
          'The size is theirs until you type.',
        ]
      : ['tone-active', '⌨ You type here', 'Messages to the agent wait while you do.']
  if (state?.leads === 'other')
    return ['tone-attention', 'Somebody types in another terminal', 'It has the size of theirs.']
  if (readOnly) return ['', 'You may look', 'This link was made to look only.']
  return ['', opened?.kind === 'output' ? 'Live' : 'Click to type', 'Looking changes nothing.']
}
