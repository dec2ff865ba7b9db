import type { StoreVerbs } from '../../store.ts'
import { createAgents } from './agents.ts'
import { createApprovals } from './approvals.ts'
import type { Channels } from '../channels.ts'
import { createDeadlines } from './deadlines.ts'
import { createEvents } from './events.ts'
import { createJournal } from './journal.ts'
import { createMail } from './mail.ts'
import { createOutbox } from './outbox.ts'
import { createPulls } from './pulls.ts'
import { createQuestions } from './questions.ts'
import { createRuns } from './runs.ts'
import { createScrollback } from './scrollback.ts'
import type { Session } from '../session.ts'
import { createSnapshots } from './snapshots.ts'

/** All verbs on a session: the same set for an open transaction and outside of one. */
export function createVerbs(session: Session, channels: Channels, clock: () => number): StoreVerbs {
  return {
    agents: createAgents(session),
    events: createEvents(session),
    outbox: createOutbox(session),
    mail: createMail(session, channels, clock),
    questions: createQuestions(session),
    journal: createJournal(session),
    approvals: createApprovals(session),
    deadlines: createDeadlines(session),
    snapshots: createSnapshots(session),
    pulls: createPulls(session),
    scrollback: createScrollback(session),
    runs: createRuns(session),
  }
}
