import { Box, render, Text, useApp, useCursor, useInput, usePaste, useWindowSize } from 'ink'
import {
  createElement,
  useEffect,
  useReducer,
  useSyncExternalStore,
  type ReactElement,
} from 'react'
import type { Palette } from '../../text/palette.ts'
import { createFrame } from './frame.ts'
import type { Frame } from './frame-options.ts'
import { isTurning } from './frame-bottom.ts'
import { keysOf, type Key } from './input/keys.ts'
import type { Action, ConsoleState } from './state.ts'
import type { Store } from './store.ts'

export interface AppOptions {
  readonly store: Store<ConsoleState, Action>
  readonly palette: Palette
  readonly now: () => number
  /** Called with the keys of one piece of input. */
  readonly press: (keys: readonly Key[]) => void
  /** Called with what is on the screen now. */
  readonly seen: (scrolling: Frame['scrolling']) => void
  readonly streams: {
    readonly stdin: NodeJS.ReadStream
    readonly stdout: NodeJS.WriteStream
    readonly stderr: NodeJS.WriteStream
  }
}

export interface App {
  /**
   * Settles when it is off the screen and the terminal is as it was; rejects with what went wrong
   * in it.
   */
  readonly ended: Promise<void>
  end(): void
  isAway(): boolean
  /** Leaves the screen for as long as the work takes. */
  away<Result>(work: () => Promise<Result>): Promise<Result>
}

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Milliseconds between two frames where something turns, and where only the time goes on. */
const TURN = 120
const TICK = 1000

/**
 * Puts the console on the terminal. Ink places rows and reads keys; what they are is made
 * elsewhere.
 */
export function startApp({ store, palette, now, press, seen, streams }: AppOptions): App {
  const frameOf = createFrame()
  let away = false
  let suspend: ReturnType<typeof useApp>['suspendTerminal'] | undefined

  const Screen = (): ReactElement => {
    const state = useSyncExternalStore(store.subscribe, store.get)
    const { columns, rows } = useWindowSize()
    const { suspendTerminal } = useApp()
    const { setCursorPosition } = useCursor()
    const [spin, turn] = useReducer((count: number) => count + 1, 0)
    useInput((input, key) => {
      press(keysOf(input, key))
    })
    usePaste((text) => press([{ kind: 'paste', text: text.replaceAll(/\r\n?/g, '\n') }]))
    useEffect(() => {
      suspend = suspendTerminal
    }, [suspendTerminal])
    const every = isTurning(state) ? TURN : TICK
    useEffect(() => {
      const timer = setInterval(turn, every)
      return () => clearInterval(timer)
    }, [every])

    const frame = frameOf(state, { columns, rows, palette, now: now(), spin })
    seen(frame.scrolling)
    setCursorPosition(frame.cursor ?? undefined)
    return createElement(
      Box,
      { flexDirection: 'column', width: columns, height: rows },
      // A row without a character would have no height.
      frame.rows.map((row, index) =>
        createElement(Text, { key: index, wrap: 'truncate-end' }, row === '' ? ' ' : row),
      ),
    )
  }

  // Before anything is to be seen: who sees it may type.
  streams.stdin.setRawMode(true)
  const instance = render(createElement(Screen), {
    ...streams,
    alternateScreen: true,
    // Also where the environment says CI: there is a terminal, or this would not have begun.
    interactive: true,
    incrementalRendering: true,
    exitOnCtrlC: false,
  })
  return {
    ended: instance
      .waitUntilExit()
      .then(() => {})
      .finally(() => streams.stdin.setRawMode(false)),
    end: () => instance.unmount(),
    isAway: () => away,
    away: async (work) => {
      if (suspend === undefined) return work()
      away = true
      const suspension = await suspend()
      // Reads would take keys, and answers of the terminal, from the program that runs now. A pause
      // counts once Ink’s listener is gone, and is made in the turn after that.
      await nextTurn()
      streams.stdin.pause()
      await nextTurn()
      try {
        return await work()
      } finally {
        away = false
        await suspension.resume()
      }
    },
  }
}
