import type { StoreVerbs } from '../store.ts'
import { createAgents } from './verbs/agents.ts'
import { createApprovals } from './verbs/approvals.ts'
import { createDeadlines } from './verbs/deadlines.ts'
import { createEvents } from './verbs/events.ts'
import { createJournal } from './verbs/journal.ts'
import { createMail } from './verbs/mail.ts'
import { createOutbox } from './verbs/outbox.ts'
import { createPulls } from './verbs/pulls.ts'
import { createQuestions } from './verbs/questions.ts'
import { createRuns } from './verbs/runs.ts'
import { createScrollback } from './verbs/scrollback.ts'
import type { Session } from './session.ts'
import { createSnapshots } from './verbs/snapshots.ts'
import { createUsageHours } from './verbs/usage.ts'

/** All verbs on a session: the same set for an open transaction and outside of one. */
export function createVerbs(session: Session, clock: () => number): StoreVerbs {
  return {
    agents: createAgents(session),
    events: createEvents(session),
    outbox: createOutbox(session),
    mail: createMail(session, clock),
    questions: createQuestions(session),
    journal: createJournal(session),
    approvals: createApprovals(session),
    deadlines: createDeadlines(session),
    snapshots: createSnapshots(session),
    pulls: createPulls(session),
    scrollback: createScrollback(session),
    runs: createRuns(session),
    usage: createUsageHours(session),
  }
}
