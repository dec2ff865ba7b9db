import type { AgentId, PaneId } from '../../../ids.ts'
import type { HostAnswer } from '../../../processes/host/framing.ts'
import type { TypeResult } from '../holder.ts'

/** Raised when host and adapter could misunderstand each other; a host lives longer than the daemon that started it. */
export const PROTOCOL = 1

/** A pane as the host keeps it. */
export interface HostedPane {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly name: string
  /** Absent from hosts of before. */
  readonly title?: string | null
  readonly pid: number
  readonly dead: boolean
  readonly exitCode: number | null
  readonly exitSignal: string | null
  /** Milliseconds since the epoch. Absent from hosts of before. */
  readonly endedAt?: number | null
  readonly humanActiveAt: number | null
  /** Absent from hosts of before. */
  readonly pasted?: string | null
  readonly entered?: string | null
}

/** What can be asked of the host. `openId` makes opening repeatable: the second time answers the first pane. */
export interface Verbs {
  hello: { takes: object; gives: { protocol: number; pid: number } }
  open: {
    takes: { openId: string; agentId: AgentId; name: string; cwd: string; env: Record<string, string>; argv: string[]; columns: number; rows: number }
    gives: { paneId: PaneId; pid: number }
  }
  list: { takes: object; gives: HostedPane[] }
  /** Text as one (bracketed) paste, or bytes as a key sends them. `key`: of the paste, or of the one that Enter submits; the pane remembers it. */
  type: { takes: { paneId: PaneId; text: string; paste: boolean; key?: string }; gives: TypeResult }
  /** `styled`: the rows of the screen with their colours and attributes; hosts of before don’t know it. */
  capture: { takes: { paneId: PaneId; lines: number; styled?: boolean }; gives: { text: string } | null }
  rename: { takes: { paneId: PaneId; name: string }; gives: boolean }
  /** Waits a moment for the end of a program that was just ended to be noticed. */
  settle: { takes: { paneId: PaneId }; gives: boolean }
  remove: { takes: { paneId: PaneId }; gives: boolean }
  /** From here on the connection shows the pane: frames come, `input` and `resize` go. `unattended`: nobody is there until something is typed. */
  view: { takes: { paneId: PaneId; columns: number; rows: number; unattended?: boolean }; gives: boolean }
  shutdown: { takes: object; gives: boolean }
}

/** What a viewer sends after `view`. */
export type ViewerInput = { readonly input: string } | { readonly resize: { readonly columns: number; readonly rows: number } }

/** `changed`: a pane died or went. `frame`: bytes for a viewer's terminal. `left`: what it viewed is gone. */
export type HostMessage = HostAnswer | { readonly event: 'frame'; readonly bytes: string; readonly title: string } | { readonly event: 'left' }
