import type { AgentId } from '../../../domain/ids.ts'
import type { HostedEnd } from '../../../processes/host/hosted-process.ts'
import type { OutputLog } from '../../../processes/host/output-log.ts'
import type { ChannelResult, HostedSession } from '../headless.ts'
import type { AcpLaunch } from '../headless-program.ts'
import type { TypeResult } from '../holder.ts'

/**
 * A program as the host keeps it, whatever it runs on. It ends its own streams; the host ends its
 * processes.
 */
export interface Hosted {
  /** Leads a process group and session of its own. */
  readonly pid: number
  /** Undefined while it runs. */
  readonly ended: HostedEnd | undefined
  /**
   * Resolves when its main program has ended and all that it said has been taken. Never rejects.
   */
  readonly end: Promise<HostedEnd>
  /**
   * To its standard input; `closed` for what has none of its own. Resolves when the program, or the
   * pipe to it, took it; `full`: too much waits there already.
   */
  write(data: string): Promise<'written' | 'full' | 'closed'>
  paste(text: string): Promise<TypeResult>
  enter(): Promise<TypeResult>
  /** The Escape key: cancels a session’s turn. */
  escape(): Promise<TypeResult>
  /** The screen, or as many lines of output, and the last `lines` before. */
  capture(lines: number, options: { styled: boolean }): Promise<string>
  /**
   * After its end: whether its number is nobody else’s yet, because something runs on in its group.
   */
  leavesBehind(): Promise<boolean>
  /** Called right before its processes are ended; must not wait for the program. */
  leave(): void
  /** Lets go of what is kept of it. */
  close(): void
}

export interface Session {
  readonly pid: number
  readonly ended: HostedEnd | undefined
  /**
   * Resolves when its program has ended, its output is in the log and that is closed. Never
   * rejects.
   */
  readonly end: Promise<HostedEnd>
  paste(text: string): Promise<TypeResult>
  enter(): Promise<TypeResult>
  escape(): Promise<TypeResult>
  leave(): void
  session(): HostedSession
  /**
   * A turn with this text; refused while one is under way. Resolves when the program has it, not
   * when the turn has ended.
   */
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
  /** For the host’s own log. */
  readonly complain: (error: unknown) => void
}

/**
 * Starts the program and returns at once; the handshake follows. Implemented in adapters/acp,
 * handed in by src/bin/detached-host.ts.
 */
export type CreateSession = (options: SessionOptions) => Session
