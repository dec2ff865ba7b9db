import type { AgentId } from '../../ids.ts'
import type { ChannelResult } from '../agent-cli/agent-cli.ts'
import type { TypeResult } from '../terminals/holder.ts'
import type { AcpLaunch, HostedSession } from './runner.ts'

/** How a program ended: one of the two; exit code 127 where it did not start, as a shell tells it. */
export interface HostedEnd {
  readonly exitCode: number | null
  readonly exitSignal: string | null
}

/** Everything that a hosted program says: whole in its file, the last lines in memory. */
export interface OutputLog {
  /**
   * `out` as it is, `err` with `[stderr] ` in front of each line. Lines of the two are never mixed within a line, as long as they are not
   * longer than what is kept back. False: the disk is behind, and the source should wait for `drained`.
   */
  write(stream: 'out' | 'err', text: Buffer | string): boolean
  /** A line about the output itself, on a line of its own. */
  note(text: string): void
  drained(): Promise<void>
  /** The last lines, 1000 at most, without control characters; `styled` keeps colours. */
  tail(lines: number, options?: { styled?: boolean }): string
  /** What comes from here on, ready for a terminal. */
  follow(listener: (text: string) => void): () => void
  /** Resolves when all that was written is in the file, as far as the disk takes it, and lets go of the file. */
  close(): Promise<void>
}

/** A process or a session, as the runner keeps it. It ends its own streams; the runner ends its processes. */
export interface Hosted {
  /** Leads a process group and session of its own. */
  readonly pid: number
  /** Undefined while it runs. */
  readonly ended: HostedEnd | undefined
  /** Resolves when its main program has ended, its output is in the log and that is closed. Never rejects. */
  readonly end: Promise<HostedEnd>
  /** To its standard input; for a session `closed`. Resolves when the program, or the pipe to it, took it; `full`: too much waits there already. */
  write(data: string): Promise<'written' | 'full' | 'closed'>
  paste(text: string): Promise<TypeResult>
  enter(): Promise<TypeResult>
  /** The Escape key: cancels a session’s turn. */
  interrupt(): Promise<TypeResult>
  /** Called right before its processes are ended; must not wait for the program. */
  leave(): void
}

export interface Session extends Hosted {
  session(): HostedSession
  /** A turn with this text; refused while one is under way. Resolves when the program has it, not when the turn has ended. */
  prompt(text: string): Promise<ChannelResult>
  /** Which of these stand in its prompts and in results of its tools. */
  mentions(words: readonly string[]): readonly string[]
}

export interface SessionOptions {
  readonly agentId: AgentId
  readonly name: string
  readonly cwd: string
  /** Whole: for its program. `session.env` is for its terminals. */
  readonly env: Readonly<Record<string, string>>
  /** What to start. */
  readonly argv: readonly string[]
  readonly session: AcpLaunch
  readonly log: OutputLog
  /** For the runner’s own log. */
  readonly complain: (error: unknown) => void
}

/** Starts the program and returns at once; the handshake follows. Implemented in adapters/acp, handed in by src/runner.ts. */
export type CreateSession = (options: SessionOptions) => Session
