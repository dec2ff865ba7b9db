import type { Once } from './once.ts'
import type { Captures, Forking } from './spawn/agent-forks.ts'
import type { Sessions, Subagents } from './sessions/agent-sessions.ts'
import type { Hooks } from './turns/agent-hooks.ts'
import type { Fold } from './fold/ahead/fold-document.ts'
import type { Waiting } from './mail/agent-waits.ts'
import type { RadarUse } from './radar/radar-use-cases.ts'
import type { View } from './agents/tree-document.ts'
import type { Page } from './page.ts'
import type { Acting } from './acting.ts'
import type { Directory } from './agents/directory.ts'
import type { SpawnChoices } from './spawn/choices/spawn-choices.ts'
import type { Spawning } from './spawn/spawn-use-cases.ts'
import type { AgentControl } from './agents/control-use-cases.ts'
import type { Pulls } from './pulls/pull-use-cases.ts'
import type { Messages } from './mail/message-use-cases.ts'
import type { Notifications } from './mail/notification-use-cases.ts'
import type { Maintenance } from './maintenance/maintenance-use-cases.ts'

/**
 * The use cases, as surfaces and tools see them, each described in the folder that makes it. Results
 * are the documents people and models read, hence snake_case.
 */
export interface Core {
  readonly directory: Directory
  readonly acting: Acting
  readonly spawning: Spawning
  readonly spawnChoices: () => Promise<SpawnChoices>
  readonly forking: Forking
  readonly control: AgentControl
  readonly pulls: Pulls
  readonly fold: Fold
  readonly messages: Messages
  readonly notifications: Notifications
  readonly waiting: Waiting
  readonly captures: Captures
  readonly sessions: Sessions
  readonly subagents: Subagents
  readonly hooks: Hooks
  readonly maintenance: Maintenance
  readonly once: Once
  readonly radar: RadarUse
  readonly view: View
  readonly page: Page
}
