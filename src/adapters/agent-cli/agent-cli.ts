import type { AgentId, BranchName, PaneId } from '../../domain/ids.ts'
import type { ChannelResult } from '../terminals/headless.ts'
import type { AcpLaunch } from '../terminals/headless-program.ts'
import type { Usage } from '../../domain/records.ts'
import type { HookDialect } from './hook-dialect.ts'
import type { NotUp, SessionRef, Settled } from './settled.ts'

/**
 * Who decides over tool calls that the program would ask a person about. `off`: exomonad passes
 * nothing, the program asks in its terminal. `ask`: it asks, and the question is put to the human’s
 * inbox as well, where the program lets it be answered. `list`: what `allow` names is not asked
 * about. `all`: nothing is.
 */
export interface PermissionPolicy {
  readonly policy: 'off' | 'ask' | 'list' | 'all'
  /** In the program’s own words, e.g. `Bash(git commit:*)`. */
  readonly allow: readonly string[]
}

export interface LaunchRequest {
  /** `fork`: with the conversation of `session`; `resume`: its own conversation again. */
  readonly mode: 'start' | 'fork' | 'resume'
  readonly agentId: AgentId
  readonly name: string
  readonly role: string
  readonly branch: BranchName
  readonly worktree: string
  /** The main worktree: what a person trusts when trusting “the repository”. */
  readonly repository: string
  /** The whole first prompt, also in `promptFile`. */
  readonly prompt: string
  readonly promptFile: string
  /** The parent’s (fork) or its own (resume) session, where known. */
  readonly session: SessionRef | null
  /**
   * File with what the parent’s terminal showed, below `folder`, where that is all there is to
   * inherit. The prompt names it.
   */
  readonly transcript?: string
  /**
   * Folder of the agent’s own (0700), outside every worktree, that lives as long as its record. It
   * may not exist yet: `files` of the plan go there.
   */
  readonly folder: string
  /**
   * `hooks/program.sh`: `sh <hookScript> <event>` sends the daemon what the program’s hook said and
   * prints what it is to read.
   */
  readonly hookScript: string
  /**
   * Where MCP is served over HTTP (the bearer token is in EXOMONAD_TOKEN); null: only by
   * `exomonad mcp` on stdio.
   */
  readonly mcpUrl: string | null
  readonly permissions: PermissionPolicy
  /** Longest that one of our tools may take, seconds: the program’s own limits are set above it. */
  readonly toolTimeout: number
  /** Only of sessions without a terminal; null or absent: the program’s own. */
  readonly model?: string | null
  readonly sessionMode?: string | null
  /** Rounds of the model in one turn. */
  readonly maxTurns?: number | null
  /** It gets none of exomonad’s tools. */
  readonly noTools?: boolean
  /** A port of 127.0.0.1 that nobody listens on now. */
  readonly freePort: () => Promise<number>
  /** It is started in a sandbox: the plan says what it needs there (`personal`). */
  readonly confined?: boolean
}

/** Something of the person’s that a confined program needs. */
export interface PersonalPath {
  /** Absolute. */
  readonly path: string
  /**
   * `read`, `write`: as it is. `copy`: a copy of the agent’s own, made at its start. `own`: a folder
   * of the agent’s own in its place, which is empty at first; the home is one anyway. See
   * own-path.ts for where these are.
   */
  readonly access: 'read' | 'write' | 'copy' | 'own'
  /** Of `write`: a folder, which is made where it is missing. */
  readonly isFolder?: boolean
}

export interface PlannedFile {
  /** Absolute; below `folder`, or untracked and ignored in the worktree. */
  readonly path: string
  readonly content: string
}

/** A symbolic link to something of the person’s own, such as a login that several agents share. */
export interface PlannedLink {
  /** Absolute, below `folder`. */
  readonly path: string
  readonly target: string
}

export interface LaunchPlan {
  readonly argv: readonly string[]
  /**
   * On top of the allow-list and the EXOMONAD_* variables. Not shown anywhere: secrets are fine.
   */
  readonly env: Readonly<Record<string, string>>
  /** Written (0600) before the program starts. */
  readonly files: readonly PlannedFile[]
  /** Made after `files`. What is there and is no link stays. */
  readonly links?: readonly PlannedLink[]
  readonly session: 'forked' | 'fresh' | 'resumed'
  /** Id the session will have, where it can be chosen. */
  readonly sessionId: string | null
  /**
   * What the adapter needs to talk to the running program (port, password …). Kept 0600, handed
   * back as `LiveAgent.channel`.
   */
  readonly channel: Readonly<Record<string, string>> | null
  readonly warnings: readonly string[]
  /** Of a confined one, what it needs outside its worktree and its folder; absent: nothing. */
  readonly personal?: readonly PersonalPath[]
  /** Ports of 127.0.0.1 that it will listen on for us. */
  readonly listens?: readonly number[]
  /** Of a confined one, `host` or `host:port` of each that its model and its login are reached at. */
  readonly hosts?: readonly string[]
  /**
   * For the detached host, of a program that speaks the Agent Client Protocol: all of `AcpLaunch`
   * that only the adapter knows.
   */
  readonly acp?: Pick<
    AcpLaunch,
    'mcpServers' | 'prompt' | 'load' | 'model' | 'mode' | 'permission' | 'allow' | 'maxTurns'
  >
}

/** A running agent, as its adapter needs to know it. */
export interface LiveAgent {
  readonly agentId: AgentId
  /** Where it runs; absent where nobody needs it. */
  readonly paneId?: PaneId | null
  /** Of the program in its terminal. */
  readonly pid: number | null
  readonly worktree: string
  readonly session: SessionRef | null
  readonly folder: string
  readonly channel: Readonly<Record<string, string>> | null
  /**
   * What the program calls its terminal’s window; null where it said nothing, undefined where the
   * terminal does not say.
   */
  readonly title: string | null | undefined
}

/**
 * What the program can be seen doing now. `unknown`: it can’t be determined, and nothing may be
 * typed. `source`: its own status file or interface, or the terminal’s title.
 */
export interface Observation {
  readonly state: 'idle' | 'running' | 'waiting' | 'unknown'
  readonly reason: string | null
  readonly source: 'session' | 'screen'
  /** Of `waiting`, where nobody knows for what: the last lines of its terminal. */
  readonly screen?: string
  /** One look at the screen alone: it may have been between two pictures. */
  readonly tentative?: boolean
}

/**
 * Whether its box for prompts holds text that somebody has not submitted. `unknown`: it is not
 * there, as something else stands in its place (a menu, a dialog), and nothing is typed. `unseen`:
 * nothing is ever typed into it, whatever it shows.
 */
export type InputLine = 'empty' | 'text' | 'unknown' | 'unseen'

/** A way of the program’s own to be given a message, beside its terminal. */
export interface NativeChannel {
  /** Also while a turn is under way. */
  readonly midTurn: boolean
  send(live: LiveAgent, text: string): Promise<ChannelResult>
}

export interface CliFinding {
  readonly status: 'ok' | 'warning' | 'problem'
  readonly found: string
  /** What to do about it. */
  readonly fix?: string
  /**
   * Does it, after the person agreed: the only thing that may write into the person’s own
   * configuration. Returns what was written.
   */
  readonly repair?: () => Promise<string>
}

/** One agent program. Implementations pass test/conformance/agent-cli/command.test.ts. */
export interface AgentCli {
  readonly name: string
  readonly adapter: string
  /** Messages are confirmed; without, a typed message stays `sent`. */
  readonly acks: boolean
  /**
   * It says when its turns start and end; messages wait for idle. Without, it is typed to at any
   * time.
   */
  readonly reportsState: boolean
  /** Between paste and Enter, milliseconds. */
  readonly enterDelay: number
  /**
   * A longer paste is mangled or distrusted: a line that points to the message is typed, and the
   * prompt hook’s answer carries the text.
   */
  readonly pasteLimit: { readonly lines: number; readonly chars: number } | null
  /**
   * The longest text of a hook’s answer that its model sees whole, characters; of a longer one it
   * sees the beginning. Absent: no limit.
   */
  readonly contextLimit?: number
  /**
   * Variables of the person’s environment that it needs (keys, endpoints); a trailing `*` stands
   * for any ending.
   */
  readonly passes: readonly string[]
  /**
   * It asks its model without waiting for its MCP servers: its first prompt’s hook is held until
   * the tools were listed for it.
   */
  readonly promptsBeforeToolsReady?: boolean
  /**
   * The text without anything that it gives a meaning to, wherever in a prompt that stands
   * (`@file`, a first `/`, `!`, `#`). Every text that reaches it goes through this, a person’s own
   * too. Idempotent, pure.
   */
  inert(text: string): string
  /** How its hooks are read and answered; null where it has none that exomonad sets up. */
  readonly hooks: HookDialect | null
  /**
   * It has no terminal in which a person could be asked: what policy `off` leaves to the terminal
   * goes to the human’s inbox.
   */
  readonly hasNoTerminal?: true
  readonly channel: NativeChannel | null
  /** Throws AGENT_CLI_MISSING with what to do. Writes nothing. */
  plan(request: LaunchRequest): Promise<LaunchPlan>
  /** Finds the program: its absolute path, or what to do. */
  locate(): Promise<{ kind: 'found'; path: string } | { kind: 'missing'; reason: string }>
  /**
   * For `doctor` and `init`: its version against the tested ones, and whether a first-run dialog
   * will hold it up.
   */
  diagnose(repository: string): Promise<readonly CliFinding[]>
  /**
   * Waits until it may be started, where two starts at once would be in each other’s way. Absent
   * where they never are.
   */
  turn?(request: LaunchRequest): Promise<void>
  /**
   * After the program was started: what could not be said by argv (a fork made through its
   * interface, a session’s id). Waits until it is up, within reason; returns what is known by then,
   * or that nothing came of it. Absent where there is nothing to do.
   */
  settle?(live: LiveAgent, request: LaunchRequest, plan: LaunchPlan): Promise<Settled | NotUp>
  /**
   * Looks at the program without disturbing it; absent where only its hooks report it, null where
   * its terminal can’t be looked at.
   */
  observe?(live: LiveAgent): Promise<Observation | null>
  /**
   * Whether a person’s half-written line stands in its box, read from what the terminal shows: rows
   * as they are, with the escape sequences of colours and attributes (SGR) in them, by which a dim
   * hint in an empty box differs from text. Pure. Absent where that can’t be seen: then only keys
   * of a person who views the terminal keep messages waiting.
   */
  inputLine?(screen: string): InputLine
  /**
   * Which of these words (ids of messages) stand in its conversation, in prompts, in what hooks
   * added to them and in results of tools: proof that they arrived; not where they only stand in a
   * typed line that points to the message. What is not there counts, once the turn is over, as not
   * arrived, and may be sent again: null where that can’t be said, or where the conversation can’t
   * be read.
   */
  mentions?(live: LiveAgent, words: readonly string[]): Promise<ReadonlySet<string> | null>
  /**
   * What the conversation used up since it began, without what it inherited. Null where it can’t be
   * read.
   */
  usage?(live: LiveAgent): Promise<Usage | null>
  /**
   * Answers a permission question that `observe` or a hook reported, where that is not done by a
   * hook’s answer.
   */
  answerPermission?(
    live: LiveAgent,
    id: string,
    decision: 'allow' | 'deny',
    reason?: string,
  ): Promise<void>
}
