import type { AgentCli } from '../adapters/agent-cli/agent-cli.ts'
import type { AgentFiles } from '../adapters/machine/agent-files.ts'
import type { Forge } from '../adapters/forge/forge.ts'
import type { Git } from '../adapters/git/git.ts'
import type { Trash } from '../adapters/machine/trash.ts'
import type { Bring } from '../adapters/machine/workplace/bring.ts'
import type { SetupCache } from '../adapters/machine/workplace/setup-cache.ts'
import type { Multiplexer } from '../adapters/terminals/holder.ts'
import type { DetachedHolder } from '../adapters/terminals/headless.ts'
import type { Store } from '../adapters/store/store.ts'
import type { Touches } from '../adapters/store/watched.ts'
import type { StoredEvent } from '../domain/records.ts'
import type { Config } from '../config/schema.ts'
import type { Publisher } from '../events/publish.ts'
import type { AgentId, Recipient } from '../domain/ids.ts'
import type { Log } from '../runtime/log.ts'
import type { Paths } from '../runtime/paths.ts'
import type { TextGate } from '../sanitize/text-gate.ts'
import type { Clock } from '../domain/clock.ts'
import type { ForgeAway } from './pulls/forge-health.ts'

/** What use cases are given. Each factory asks only for its part. */
export interface Deps {
  readonly store: Store
  readonly touches: Touches
  readonly git: Git
  /** Terminals, and what runs without one: a pane’s id says where it is. */
  readonly multiplexer: Multiplexer
  /** Of what runs without a terminal: for what only the detached host can do. */
  readonly detached: DetachedHolder
  readonly forge: Forge
  readonly files: AgentFiles
  readonly trash: Trash
  readonly setupCache: SetupCache
  readonly bring: Bring
  readonly publisher: Publisher
  readonly outbox: OutboxControl
  readonly polling: Polling
  readonly settings: Settings
  /** `config`: what its role may use. */
  readonly prompts: (config: Config, name: PromptName, data: PromptFacts) => Promise<string>
  readonly paths: Paths
  /**
   * For text that comes from neither a tool, the store nor the forge, which have it in front:
   * terminals, names of files, faults.
   */
  readonly gate: TextGate
  readonly clock: Clock
  readonly log: Log
  /** Called when a step of a journaled operation has been written and is about to be taken. */
  readonly onJournalStep: (kind: string, step: string) => void
}

export type PromptName = 'subtree' | 'worker' | 'root' | 'resume' | 'fork' | 'session' | 'subagent'

/** What a first prompt is made of. */
export interface PromptFacts {
  readonly task: string
  readonly name: string
  readonly agent_id: string
  readonly role: string
  readonly branch: string
  readonly base: string
  readonly worktree: string
  readonly parent_id: string
  readonly parent_name: string
  /** Its worktree and branch are its parent’s. */
  readonly shares_worktree: boolean
  /** What a fork knows of its parent’s work. */
  readonly context?: 'forked' | 'transcript' | 'fresh'
  /** Absolute path of the file with that, for `transcript`. */
  readonly transcript?: string
  /** What the caller gave a session to know, key by key. */
  readonly facts?: readonly { readonly key: string; readonly value: string }[]
  /** Goes in front of everything else. */
  readonly system_prompt?: string
  /** Where it gets none; else those that its role and its program allow. */
  readonly tools?: readonly []
}

export interface Settings {
  /**
   * The configuration as it is on disk now, and does not change. Whoever begins something (a call,
   * a hook, a round of what runs for ever) takes one and passes it down, so that an edit in the
   * middle can't mix two configurations. CONFIG_INVALID where it does not parse.
   */
  snapshot(): Promise<Configured>
  /**
   * Throws UNTRUSTED_CONFIG where configuration or templates that git tracks were not trusted.
   * Before anything configured is run.
   */
  requireTrust(): Promise<void>
}

/** One configuration, deeply frozen, and the programs that it has. */
export interface Configured {
  readonly config: Config
  /** AGENT_CLI_MISSING where it is not configured. */
  agentCli(name: string): AgentCli
}

/** What use cases need of the outbox. */
export interface OutboxControl {
  /**
   * Looks at once, of one recipient, whose state changed, or all. What the publisher enqueues needs
   * no call.
   */
  wake(recipient?: Recipient): void
  /** Confirms deliveries to an agent; returns those that were its own and known. */
  ack(agentId: AgentId, ids: readonly string[]): Promise<string[]>
  /**
   * Withdraws what waits for an agent about one subject and was reported to it in another way.
   */
  withdraw(
    agentId: AgentId,
    subject: string,
    isReported: (event: StoredEvent) => boolean,
    reason: string,
  ): Promise<void>
  /**
   * Takes what waits for an agent, to be handed over in a hook’s answer; null where nothing waits,
   * or, with `onlyIfWoken`, nothing that is more than carried along.
   */
  takeForHook(agentId: AgentId, options?: { onlyIfWoken?: boolean }): Promise<string | null>
  /**
   * A prompt that names these deliveries was submitted: they are confirmed. Of those that it only
   * pointed to, the whole text, for the hook’s answer; null where there is none. Those are
   * confirmed by the conversation, and with `unanswered` (the hook could not be answered) they wait
   * again.
   */
  promptArrived(
    agentId: AgentId,
    ids: readonly string[],
    options?: { unanswered?: boolean },
  ): Promise<string | null>
  /**
   * Any hook of the agent came: what is unconfirmed is looked up in its conversation. Returns at
   * once.
   */
  looked(agentId: AgentId): void
  /**
   * The whole text of an agent’s own delivery, which counts as confirmed by that; undefined for
   * others’.
   */
  read(agentId: AgentId, id: string): Promise<string | undefined>
}

export interface Polling {
  /** Reads these pull requests now and publishes what changed. */
  poll(numbers: readonly number[]): Promise<void>
  /** The forge has failed for more than a moment, each time it was asked. */
  away?(): ForgeAway | undefined
}
