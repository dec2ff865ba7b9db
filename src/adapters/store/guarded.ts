import type { TextGate } from '../../sanitize/text-gate.ts'
import type { Store, StoreVerbs } from './store.ts'
import type { Agent, AgentPatch } from '../../domain/records.ts'

/**
 * The store with the text gate in front of its rows: what people, agents and forges wrote is kept
 * without control characters and secrets, whoever stores it. Rows of pulls and snapshots hold what
 * went through the forge’s own gate. Commands and paths stay as they are.
 */
export function guardStore(
  store: Store,
  gate: TextGate,
  learn: (tokenHash: string) => void,
): Store {
  const { text } = gate
  const orNull = (value: string | null): string | null => (value === null ? null : text(value))

  /** Free text of an agent; the task of a process is its command. */
  const ofAgent = <T extends AgentPatch>(patch: T, kind?: Agent['kind']): T => {
    if (patch.tokenHash !== undefined) learn(patch.tokenHash)
    return {
      ...patch,
      ...(patch.task === undefined || kind === 'process' ? {} : { task: text(patch.task) }),
      ...(patch.stateReason === undefined ? {} : { stateReason: orNull(patch.stateReason) }),
      ...(patch.outcome === undefined ? {} : { outcome: gate.data(patch.outcome) }),
      ...(patch.stopBlocker === undefined ? {} : { stopBlocker: orNull(patch.stopBlocker) }),
      ...(patch.stopReason === undefined ? {} : { stopReason: orNull(patch.stopReason) }),
    }
  }

  const guard = (verbs: StoreVerbs): StoreVerbs => ({
    ...verbs,
    agents: {
      ...verbs.agents,
      insert: (agent) => verbs.agents.insert(ofAgent(agent, agent.kind)),
      update: (id, patch) => verbs.agents.update(id, ofAgent(patch)),
    },
    events: {
      ...verbs.events,
      append: (event) =>
        verbs.events.append({
          ...event,
          why: orNull(event.why),
          payload: gate.data(event.payload),
        }),
    },
    outbox: {
      ...verbs.outbox,
      enqueue: (delivery) => verbs.outbox.enqueue({ ...delivery, text: text(delivery.text) }),
    },
    mail: {
      ...verbs.mail,
      send: (mail) => verbs.mail.send({ ...mail, message: text(mail.message) }),
    },
    questions: {
      ...verbs.questions,
      insert: (question) =>
        verbs.questions.insert({ ...question, message: text(question.message) }),
      answer: (id, answer, by, at) => verbs.questions.answer(id, text(answer), by, at),
    },
    approvals: {
      ...verbs.approvals,
      insert: (approval) => verbs.approvals.insert({ ...approval, what: text(approval.what) }),
      decide: (id, decision, reason, at) =>
        verbs.approvals.decide(id, decision, orNull(reason), at),
    },
    scrollback: {
      ...verbs.scrollback,
      append: (entry) => verbs.scrollback.append({ ...entry, text: text(entry.text) }),
    },
    runs: {
      ...verbs.runs,
      finish: (id, result) => verbs.runs.finish(id, gate.data(result, ['filesModified'])),
    },
  })

  return {
    ...store,
    ...guard(store),
    transaction: (work) =>
      store.transaction((tx) => work({ ...guard(tx), afterCommit: tx.afterCommit })),
  }
}
