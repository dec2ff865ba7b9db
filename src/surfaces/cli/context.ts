import type { Environment } from '../../config/environment.ts'
import type { Client } from '../client.ts'
import type { Elsewhere } from './elsewhere/elsewhere.ts'
import type { Host } from './host.ts'
import type { Palette } from '../text/palette.ts'
import type { OutputStream, Terminal } from '../text/terminal.ts'

/** Options that every command takes. */
export interface GlobalOptions {
  readonly json: boolean
  /** Agent to act for (`--as`). */
  readonly as: string | undefined
  /** Folder the command works from (`-C`); with --host the one here. */
  readonly cwd: string
  /** Colours as they are asked for or refused (`--no-color`, NO_COLOR, …); null where nobody did. */
  readonly color: boolean | null
}

/** What a command gets: where it stands, where it writes, and what reaches beyond it. */
export interface CliContext {
  readonly version: string
  readonly environment: Environment
  readonly terminal: Terminal
  readonly host: Host
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Aborted by Ctrl-C in commands that go on until then. */
  readonly onInterrupt: (listener: () => void) => () => void
  /** The machine that `--host` names; null at home. */
  readonly elsewhere: Elsewhere | null
  /** The global options of this run; valid inside actions only. */
  readonly options: () => GlobalOptions
  /** For what is written to this stream; by default to stdout. */
  readonly palette: (stream?: OutputStream) => Palette
  /** Width of stdout in columns; 100 where it is no terminal. */
  readonly width: () => number
  /**
   * A client of this repository’s daemon, which is started for the human where it isn’t running.
   */
  readonly client: (options?: { start?: boolean }) => Promise<Client>
  /** Part of the work failed: the command still prints, and exits with 1. */
  readonly markFailed: () => void
  /** Exits with the code of a program that this command stands for. */
  readonly exitWith: (code: number) => void
}
