import type { Client } from '../../client.ts'
import type { Target } from './target.ts'

/** The machine that `--host` names, for one command or one console. */
export interface Elsewhere {
  readonly target: Target
  /**
   * The daemon there, which runs when this returns. HOST_UNREACHABLE, NOT_AVAILABLE; what is wrong
   * there as it would be said there. Asked for again it is the same.
   */
  link(options?: { start?: boolean }): Promise<Link>
  /** Whether there is a connection already; none is made. */
  isOpen(): Promise<boolean>
  /**
   * Runs a program there on this terminal, or, where this has none, with what this process writes to
   * and without input; it ends with this process then. Returns its exit code.
   * HOST_UNREACHABLE where the connection was cut meanwhile; the terminal is fit for use again then.
   */
  run(argv: readonly string[], folder: string | null): Promise<number | null>
  /**
   * A port of 127.0.0.1 here that leads to that one there, over the same connection and as long as
   * it. HOST_UNREACHABLE where the machine allows none.
   */
  forwardPort(port: number): Promise<number>
  /** What `run` does, as a line for a person’s own shell. */
  words(argv: readonly string[]): readonly string[]
}

/** A daemon elsewhere, over the shared connection, across cuts of it. */
export interface Link {
  /** Here: a socket that leads to the daemon’s, and the owner’s token, in memory alone. */
  readonly socket: string
  readonly token: string
  /**
   * As at home: calls start a daemon that isn’t running, unless `start` is false. A call that was
   * cut off and may be asked for again is, for a minute; without `start` never.
   */
  client(options?: { as?: string | undefined; start?: boolean }): Client
  /** After the daemon went away: connects again where the connection was cut. Never throws. */
  whenAway(signal?: AbortSignal): Promise<void>
  /** From now on what becomes of the connection is not said: who draws on the terminal shows it. */
  beQuiet(): void
}
