import type { AgentId, PaneId } from '../../ids.ts'
import type { ChannelResult } from '../agent-cli/agent-cli.ts'
import type { TypeResult } from '../terminals/holder.ts'
import type { HostedSession, RunnerProgram, Written } from './runner.ts'

/** Raised when runner and daemon could misunderstand each other; a runner lives longer than the daemon that started it. */
export const PROTOCOL = 1

/** Milliseconds between SIGTERM and SIGKILL. */
export const KILL_GRACE = 5000

/** What the runner holds, as it tells of it. */
export interface HostedEntry {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly name: string
  readonly pid: number
  readonly dead: boolean
  readonly exitCode: number | null
  readonly exitSignal: string | null
  /** Milliseconds since the epoch. Absent from runners of before. */
  readonly endedAt?: number | null
  readonly pasted: string | null
  /** Absent from runners of before. */
  readonly entered?: string | null
}

/** What can be asked of the runner. `openId` makes opening repeatable: the second time answers the first pane. */
export interface Verbs {
  hello: { takes: object; gives: { protocol: number; pid: number } }
  open: {
    takes: {
      openId: string
      agentId: AgentId
      name: string
      cwd: string
      env: Record<string, string>
      argv: string[]
      rows: number
      program: RunnerProgram
      output: string | null
      /** Bytes; absent for none. */
      outputBound?: number
    }
    gives: { paneId: PaneId; pid: number }
  }
  list: { takes: object; gives: HostedEntry[] }
  paste: { takes: { paneId: PaneId; text: string; key: string | null }; gives: TypeResult }
  /** `submits`: key of the paste that Enter is for. */
  key: { takes: { paneId: PaneId; key: 'enter' | 'escape'; submits?: string }; gives: TypeResult }
  write: { takes: { paneId: PaneId; data: string }; gives: Written }
  capture: { takes: { paneId: PaneId; lines: number; styled: boolean }; gives: { text: string } | null }
  rename: { takes: { paneId: PaneId; name: string }; gives: boolean }
  /** Ends its processes, all that it ever started included; false where it is not there. */
  end: { takes: { paneId: PaneId }; gives: boolean }
  /** Forgets it. */
  remove: { takes: { paneId: PaneId }; gives: boolean }
  session: { takes: { paneId: PaneId }; gives: HostedSession | null }
  prompt: { takes: { paneId: PaneId; text: string }; gives: ChannelResult | null }
  mentions: { takes: { paneId: PaneId; words: readonly string[] }; gives: readonly string[] | null }
  /** From here on the connection gets what the pane says, after its last lines. */
  follow: { takes: { paneId: PaneId }; gives: boolean }
  shutdown: { takes: object; gives: boolean }
}

/** To one that follows. `ended`: no more comes; `how` in words. */
export type FollowMessage = { readonly event: 'text'; readonly text: string } | { readonly event: 'ended'; readonly how: string } | { readonly event: 'left' }
