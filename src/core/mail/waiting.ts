import type { StoreVerbs } from '../../adapters/store/store.ts'
import type { Agent, Mail } from '../../domain/records.ts'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { WaitStatus, Waiting, WaitResult } from './agent-waits.ts'
import type { BlockingCalls } from '../turns/blocking-calls.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { findAgent } from '../agents/directory.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { lookUntil } from './look-until.ts'
import type { Mailbox } from './mailbox.ts'
import type { OpenWaits } from './open-waits.ts'
import type { Scrollback } from '../panes/scrollback.ts'
import { createWaitStatuses } from './wait-statuses.ts'
import { progressOf, wordsOf } from './wait-words.ts'

/** What a look found, with the mail that it took for it. */
interface Found {
  readonly result: WaitResult
  readonly mails: readonly Mail[]
}

/** One way to wait: what it looks at, and whose channels signal that looking again may help. */
interface Watch {
  readonly from: readonly AgentId[] | null
  /** Of the channel of this agent. */
  woken(id: AgentId): void
  /** A wake-up may have been lost: the next look is at everything. */
  lookAnew(): void
  look(last: boolean): Promise<Found | undefined>
}

/**
 * Waits hold a promise, one timer and their subscriptions. They are woken by the channels of the
 * one who waits (mail, its own end) and of those it waits for (end, idling, mail read, delivery
 * settled), and take mail in the transaction that finds the wait complete.
 */
export function createWaiting({
  store,
  settings,
  mailbox,
  blockingCalls,
  openWaits,
  scrollback,
  log,
}: Pick<Deps, 'store' | 'settings' | 'log'> & {
  mailbox: Pick<Mailbox, 'take' | 'receiptOf' | 'expect'>
  blockingCalls: Pick<BlockingCalls, 'begin'>
  openWaits: Pick<OpenWaits, 'open'>
  scrollback: Pick<Scrollback, 'rememberWait'>
}): Waiting {
  const waitStatuses = createWaitStatuses({ settings })

  /** Each once, in the order asked. */
  const targetsOf = async (
    { agent: waiter }: Caller,
    from: readonly string[],
  ): Promise<Agent[]> => {
    if (from.length === 0) {
      throw new ExomonadError(
        'INVALID_ARG',
        'from_agents names nobody. Name the agents to wait for, or leave it out to wait for anyone’s message.',
        {
          field: 'from_agents',
        },
      )
    }
    const found = new Map<AgentId, Agent>()
    for (const address of from) {
      const agent = await findAgent(store.agents, address)
      if (agent.id === waiter.id) {
        throw new ExomonadError(
          'INVALID_ARG',
          `"${address}" is ${waiter.name} itself, for which it can’t wait. Name other agents.`,
          {
            field: 'from_agents',
            agent: agent.id,
          },
        )
      }
      if (!found.has(agent.id)) found.set(agent.id, agent)
    }
    return [...found.values()]
  }

  const requireWaiter = async (
    { agents }: Pick<StoreVerbs, 'agents'>,
    waiter: Agent,
  ): Promise<void> => {
    const now = await agents.get(waiter.id)
    if (now !== undefined && isAlive(now.state)) return
    throw new ExomonadError(
      'ALREADY_DEAD',
      `${waiter.name} has ${now === undefined || now.state === 'killed' ? 'been killed' : now.state}: it waits for nothing more. Its mail stays in its box.`,
      { agent: waiter.id },
    )
  }

  const forAnyone = (waiter: Agent): Watch => {
    const nothing = (last: boolean): Found | undefined =>
      last ? { result: { status: 'timeout' }, mails: [] } : undefined
    let isCalled = false
    return {
      from: null,
      woken: () => (isCalled = true),
      lookAnew: () => {},
      look: async (last) => {
        // Whoever is woken has mail, nearly always; without that a look costs no transaction.
        const isExpectant = isCalled
        isCalled = false
        if (!isExpectant) {
          await requireWaiter(store, waiter)
          if ((await store.mail.peek(waiter.id, { limit: 1 })).length === 0) return nothing(last)
        }
        return store.transaction(async (tx) => {
          await requireWaiter(tx, waiter)
          const mails = await mailbox.take(tx, waiter.id, [{ limit: 1 }])
          const [mail] = mails
          // Another wait of its own may have been quicker.
          if (mail === undefined) return nothing(last)
          const name = (await tx.agents.get(mail.from))?.name ?? mail.from
          return { result: { from: mail.from, name, message: mail.message }, mails }
        })
      },
    }
  }

  /**
   * Keeps what it knows of each, and looks anew only at those whose channel spoke; what ends the
   * wait is looked at as a whole.
   */
  const forAll = async (
    waiter: Agent,
    targets: readonly Agent[],
    progress: (message: string) => void,
  ): Promise<Watch> => {
    const ids = targets.map(({ id }) => id)
    const confirming = await waitStatuses.confirming(targets)
    let known = new Map<AgentId, WaitStatus>(ids.map((id) => [id, 'running']))
    const stale = new Set<AgentId>([waiter.id, ...ids])
    let reported = ''

    const report = (): void => {
      const words = progressOf(
        targets.map(({ id, name }) => ({ name, status: known.get(id) ?? 'running' })),
      )
      if (words !== reported) progress((reported = words))
    }

    const refresh = async (): Promise<void> => {
      const changed = [...stale]
      stale.clear()
      if (changed.includes(waiter.id)) {
        await requireWaiter(store, waiter)
        const missing = ids.filter((id) => known.get(id) !== 'received')
        for (const { from } of await store.mail.peek(waiter.id, { from: missing }))
          known.set(from, 'received')
      }
      for (const id of changed) {
        if (id !== waiter.id && known.get(id) !== 'received')
          known.set(id, await waitStatuses.withoutMessage(store, id, waiter.id, confirming))
      }
    }
    const isComplete = (): boolean => ![...known.values()].includes('running')

    const finish = (last: boolean): Promise<Found | undefined> =>
      store.transaction(async (tx) => {
        await requireWaiter(tx, waiter)
        known = await waitStatuses.of(tx, ids, waiter.id, confirming)
        if (!last && !isComplete()) return undefined
        const answered = ids.filter((id) => known.get(id) === 'received')
        const mails = await mailbox.take(
          tx,
          waiter.id,
          answered.map((id) => ({ from: [id], limit: 1 })),
        )
        const messages = new Map(mails.map(({ from, message }) => [from, message]))
        const results = targets.map(({ id, name }) => {
          const message = messages.get(id)
          return {
            agent_id: id,
            name,
            status: known.get(id) ?? 'running',
            ...(message === undefined ? {} : { message }),
          }
        })
        return { result: { results }, mails }
      })

    return {
      from: ids,
      woken: (id) => stale.add(id),
      lookAnew: () => [waiter.id, ...ids].forEach((id) => stale.add(id)),
      look: async (last) => {
        await refresh()
        report()
        if (!last && !isComplete()) return undefined
        const found = await finish(last)
        report()
        return found
      },
    }
  }

  /**
   * From here on others see that it waits, and its mail needs no notice. What goes wrong at the end
   * must not cost the result.
   */
  const begin = async (
    { kind, actedBy, agent }: Caller,
    from: Watch['from'],
  ): Promise<() => Promise<void>> => {
    const ends = [mailbox.expect({ to: agent.id, from: from === null ? null : new Set(from) })]
    const end = async (): Promise<void> => {
      for (const one of ends.splice(0)) {
        await one().catch((thrown: unknown) =>
          log.warn({ err: thrown, agent: agent.id }, 'the end of a wait could not be noted'),
        )
      }
    }
    if (from !== null) {
      const close = openWaits.open(agent.id, from)
      ends.unshift(async () => close())
    }
    // Whoever else waits as an agent leaves its program as it is.
    if (kind === 'agent' && actedBy === undefined) {
      const called = await blockingCalls.begin(agent, 'wait').catch(async (thrown: unknown) => {
        await end()
        throw thrown
      })
      ends.unshift(called)
    }
    return end
  }

  return {
    wait: async (caller, { timeout, from }, { signal, progress = () => {}, receipt: take }) => {
      const waiter = caller.agent
      const watch =
        from === undefined
          ? forAnyone(waiter)
          : await forAll(waiter, await targetsOf(caller, from), progress)
      if (from === undefined && timeout > 0) progress('Waiting for mail')
      const found = await lookUntil(watch.look, {
        timeout: timeout * 1000,
        signal,
        subscribe: (wake) => {
          const stops = [waiter.id, ...(watch.from ?? [])].map((id) =>
            store.subscribe(id, () => {
              watch.woken(id)
              wake()
            }),
          )
          return () => stops.forEach((stop) => stop())
        },
        lookEvery: store.lookEvery,
        lookAnew: watch.lookAnew,
        begun: () => begin(caller, watch.from),
      })
      if (found === undefined) throw gone()
      const receipt = mailbox.receiptOf(found.mails)
      if (signal.aborted) {
        await receipt.giveBack()
        throw gone()
      }
      if (take === undefined) await receipt.confirm()
      else if (found.mails.length > 0) take(receipt)
      if (caller.kind === 'human' || caller.actedBy === 'person')
        await scrollback.rememberWait(waiter.id, wordsOf(found.result, timeout))
      return found.result
    },

    standing: async (caller, from) => {
      const targets = await targetsOf(caller, from)
      const ids = targets.map(({ id }) => id)
      const now = await waitStatuses.of(
        store,
        ids,
        caller.agent.id,
        await waitStatuses.confirming(targets),
      )
      return {
        results: targets.map(({ id, name, toolCalls, tokens }) => ({
          agent_id: id,
          name,
          status: now.get(id) ?? 'dead',
          tool_calls: toolCalls,
          tokens,
        })),
      }
    },
  }
}

const gone = (): ExomonadError =>
  new ExomonadError(
    'NOT_AVAILABLE',
    'The caller went away before its wait was over. Its mail is in its box.',
  )
