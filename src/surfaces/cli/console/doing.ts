import type { Store } from './store.ts'
import type { Action, ConsoleState } from './state.ts'
import type { Feed } from './feed.ts'
import type { Notice } from './rows/compose-scrollback.ts'
import type { Palette } from '../../text/palette.ts'
import type { Client } from '../../client.ts'

/** What lines are done with. */
export interface Doing {
  readonly store: Store<ConsoleState, Action>
  readonly feed: Feed
  /** Acts for an agent, or as the person alone; starts the daemon where it isn’t running. */
  readonly clientFor: (agent?: string) => Client
  readonly now: () => number
  readonly palette: Palette
  /** Gives the terminal away to a program, and takes it back. Returns its exit code. */
  readonly attach: (argv: readonly string[]) => Promise<number | null>
  /** The Zellij session that the console’s terminal is in, as the tool `attach` takes it. */
  readonly inside: { inside?: string }
  readonly quit: () => void
}

/** Shows a notice in an agent’s scrollback. */
export type Notify = (agent: string, text: string, colour?: Notice['colour']) => void
