import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { Agent } from '../../src/domain/records.ts'
import { createBlockingCalls } from '../../src/core/turns/blocking-calls.ts'
import type { Caller } from '../../src/domain/caller.ts'
import { createHooks } from '../../src/core/turns/hooks.ts'
import { createMailbox } from '../../src/core/mail/mailbox.ts'
import { newAgentDefaults } from '../../src/core/spawn/new-agent.ts'
import { createNotes } from '../../src/core/mail/notes.ts'
import { createOpenWaits } from '../../src/core/mail/open-waits.ts'
import { createAgentControl } from '../../src/core/agents/agent-control.ts'
import { createStates } from '../../src/core/agents/states.ts'
import { createMessages } from '../../src/core/mail/messages.ts'
import { createWaiting } from '../../src/core/mail/waiting.ts'
import { createOutboxRecords } from '../../src/delivery/outbox-records.ts'
import { createPublisher } from '../../src/delivery/publisher.ts'
import { createRenderer } from '../../src/delivery/render/render.ts'
import {
  asBranchName,
  asPaneId,
  newAgentId,
  newDeliveryId,
  type AgentId,
} from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { AgentCli } from '../../src/adapters/agent-cli/agent-cli.ts'
import { configSchema } from '../../src/config/schema.ts'
import { settingsOf } from './settings.ts'

/**
 * Test helper: the use cases of mail over a real store, with agents that are rows alone: no
 * programs, so nothing is ever handed over to them but what a test acknowledges. Their `acks` is
 * true: what was handed over counts once it is acknowledged. Those of the agent program `silent`
 * neither confirm what they read nor report their turns.
 */
export interface MailWorld {
  readonly store: Store
  readonly mailbox: ReturnType<typeof createMailbox>
  readonly messages: Pick<
    ReturnType<typeof createMessages>,
    'send' | 'checkMail' | 'inbox' | 'note'
  >
  readonly notes: ReturnType<typeof createNotes>
  readonly waiting: ReturnType<typeof createWaiting>
  readonly hooks: ReturnType<typeof createHooks>
  readonly publisher: ReturnType<typeof createPublisher>
  readonly openWaits: ReturnType<typeof createOpenWaits>
  readonly states: ReturnType<typeof createStates>
  kill(caller: Caller, address: string): Promise<{ killed: AgentId[] }>
  /** Every delivery to the agent is confirmed. */
  ackAll(id: AgentId): Promise<void>
  /** What people were shown of waits. */
  readonly shown: string[]
  /** What a start does before anything else. */
  recover(): Promise<void>
  settleCutOff: ReturnType<typeof createBlockingCalls>['settleCutOff']
  /**
   * Calls of the store so far, and resolves once none is under way and nothing follows from the
   * last.
   */
  calls(): number
  /** How often a configuration was taken. */
  snapshots(): number
  quiet(): Promise<void>
  /** Nothing that was begun goes on: as after a kill. The file stays. */
  die(): Promise<void>
}

const templates = fileURLToPath(new URL('../../templates', import.meta.url))

export interface MailPlace {
  /** A file, or how to open the store again. */
  readonly file: string | (() => Promise<Store>)
  remove(): void | Promise<void>
}

export function mailFolder(): { readonly file: string; remove(): void } {
  const folder = mkdtempSync(join(tmpdir(), 'exomonad-mail-'))
  return {
    file: join(folder, 'store.db'),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

export async function openMailWorld(
  file: MailPlace['file'],
  now: () => number = Date.now,
): Promise<MailWorld> {
  const log = silentLog()
  const real = typeof file === 'string' ? await openSqliteStore({ file, log }) : await file()
  let calls = 0
  let pending = 0
  let dead = false
  const never = (): Promise<never> => new Promise(() => {})
  const counted = <T extends object>(target: T, isInTransaction = false): T =>
    new Proxy(target, {
      get: (object, key) => {
        const value: unknown = Reflect.get(object, key)
        if (typeof value === 'object' && value !== null) return counted(value, isInTransaction)
        if (
          typeof value !== 'function' ||
          key === 'subscribe' ||
          key === 'afterCommit' ||
          key === 'signal'
        )
          return value
        return (...args: unknown[]) => {
          // A process that is gone neither goes on nor fails; its transaction is rolled back.
          if (dead) return isInTransaction ? Promise.reject(new Error('killed')) : never()
          calls += 1
          pending += 1
          const work = args.map((arg) =>
            typeof arg === 'function'
              ? (tx: object) => (arg as (tx: object) => unknown)(counted(tx, true))
              : arg,
          )
          return (value.apply(object, work) as Promise<unknown>)
            .finally(() => (pending -= 1))
            .then(
              (result) => (dead && !isInTransaction ? never() : result),
              (error: unknown) =>
                dead && !isInTransaction ? never() : Promise.reject(error as Error),
            )
        }
      },
    })
  const store = counted(real)
  const clock = now
  const renderer = createRenderer({
    shippedFolder: templates,
    overrideFolder: () => Promise.resolve(null),
    log,
  })
  const publisher = createPublisher({ store, renderer, clock, log, newDeliveryId })
  const records = createOutboxRecords({ store, publisher, clock })
  const unused = undefined as never
  const outbox = {
    ...({} as {
      takeForHook: never
      withdraw: never
      promptArrived: never
      looked: never
      read: never
      ack: never
    }),
    wake: () => {},
  }
  const states = createStates({ store, publisher, outbox, clock })
  const mailbox = createMailbox({ store, publisher, clock })
  const notes = createNotes({ store, publisher, clock })
  const openWaits = createOpenWaits()
  const blockingCalls = createBlockingCalls({ states })
  const shown: string[] = []
  let snapshots = 0
  const settings = settingsOf(
    () => ((snapshots += 1), configSchema.parse({ attention: { batch_within: 0 } })),
    (name) => ({ acks: name !== 'silent', reportsState: name !== 'silent' }) as AgentCli,
  )
  const still = async (): Promise<void> => {
    for (let turns = 0; turns < 5; turns = pending === 0 ? turns + 1 : 0)
      await new Promise((resolve) => setImmediate(resolve))
  }
  /** Wake-ups of a server come one after the other: behind this one no earlier one is on its way. */
  const noWakeUpOnItsWay = async (): Promise<void> => {
    const last = Promise.withResolvers<void>()
    const id = newAgentId()
    const stop = real.subscribe(id, last.resolve)
    await real.signal(id)
    await last.promise
    stop()
  }
  const quiet = async (): Promise<void> => {
    for (let before = -1; before !== calls;) {
      await still()
      if (real.lookEvery === null) return
      before = calls
      await noWakeUpOnItsWay()
      await still()
    }
  }
  const running = createAgentControl({
    ...{
      store,
      publisher,
      states,
      log,
      launching: new Set<AgentId>(),
      say: unused,
      opened: unused,
      remindOfMail: mailbox.remind,
    },
    ...{ multiplexer: unused, settings: unused, prompts: unused, launcher: unused },
    // Nothing of theirs runs, and nothing has to be ended.
    files: unused,
    gate: unused,
    panes: unused,
    endPrograms: async () => {},
  })
  return {
    store,
    mailbox,
    states,
    openWaits,
    shown,
    quiet,
    notes,
    messages: createMessages({
      store,
      publisher,
      outbox,
      clock,
      settings,
      states,
      blockingCalls,
      mailbox,
      approvals: unused,
      questions: {} as never,
      notes,
    }),
    publisher,
    hooks: createHooks({
      store,
      publisher,
      outbox,
      clock,
      states,
      usage: { refresh: () => {} },
      stopChain: async () => ({ decision: 'allow' }),
    }),
    waiting: createWaiting({
      store,
      mailbox,
      openWaits,
      log,
      blockingCalls,
      settings,
      scrollback: { rememberWait: async (_id, text) => void shown.push(text) },
    }),
    kill: running.kill,
    ackAll: async (id) => {
      const waiting = await store.outbox.list({ recipient: id, states: ['queued', 'sent'] })
      await records.acked(
        id,
        waiting.map((delivery) => delivery.id),
      )
    },
    recover: mailbox.recover,
    settleCutOff: blockingCalls.settleCutOff,
    calls: () => calls,
    snapshots: () => snapshots,
    die: async () => {
      dead = true
      while (pending > 0) await new Promise((resolve) => setImmediate(resolve))
      await real.close()
    },
  }
}

/**
 * A row of an agent that runs, in a pane that nobody looks for. A root has none unless it is given
 * one.
 */
export const memberRow = (
  name: string,
  parent: Agent | null,
  facts: Partial<Agent> = {},
): Agent => ({
  ...newAgentDefaults(Date.now()),
  ...{
    id: newAgentId(),
    name,
    kind: parent === null ? 'root' : 'worker',
    runtime: 'pane',
    role: parent === null ? 'tl' : 'dev',
    agentCli: 'x',
  },
  ...{
    parentId: parent?.id ?? null,
    depth: parent === null ? 0 : parent.depth + 1,
    branch: asBranchName(parent === null ? 'main' : `main.${name}`),
  },
  ...{
    baseBranch: null,
    forkPoint: null,
    worktree: '/w',
    ownsWorktree: true,
    adopted: false,
    task: '',
    state: 'running',
    tokenHash: name,
  },
  ...(parent === null ? {} : { paneId: asPaneId(`%${name}`) }),
  ...facts,
})

export const asAgent = (agent: Agent): Caller => ({ kind: 'agent', agent })
