import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { Log } from '../../../runtime/log.ts'
import type { AgentId } from '../../../domain/ids.ts'
import { channelOf, type Channels, createChannels } from '../sql/channels.ts'
import { unavailable } from './faults.ts'
import type { Link } from './link.ts'
import { quoted, type Session } from './session.ts'

/**
 * Wake-ups by NOTIFY on the channels `agent_event_<uuid>`: whoever waits for an agent has its channel
 * listened on, over one connection for all. Since a connection can be lost, and what was notified
 * meanwhile with it, everybody is woken when it is back.
 */
export interface Listening extends Channels {
  /** Resolves once all that was subscribed to is listened on; undefined where it is already. */
  readonly pending: () => Promise<void> | undefined
  /** To be called with each new session, before anybody uses it. */
  attach(session: Session): Promise<void>
  /** Over the link that has the sessions. */
  begin(link: Link): void
}

/** Channels without anybody waiting that are kept, as most are soon waited on again. */
const IDLE_KEPT = 200

export function createListening(log: Log): Listening {
  const channels = createChannels(log)
  const waiting = new Map<AgentId, number>()
  const idle = new Set<AgentId>()
  const listened = new Set<AgentId>()
  let link: Link | undefined
  /** The latest; the link has it only some time after all was listened on anew. */
  let attached: Session | undefined
  let pending: Promise<void> | undefined

  /** Of a connection that is just being lost nothing comes: then all is listened on anew. */
  function say(command: 'listen' | 'unlisten', agentId: AgentId): void {
    const session = link?.peek() ?? attached
    if (session?.isUp() !== true) return
    const said = session.run(`${command} ${quoted(channelOf(agentId))}`).then(
      () => {},
      (thrown: unknown) =>
        log.warn({ err: thrown, agentId }, `no ${command} for an agent’s wake-ups`),
    )
    if (command === 'unlisten') return
    const all = Promise.all([pending, said]).then(() => {
      if (pending === all) pending = undefined
    })
    pending = all
  }

  return {
    signal: channels.signal,
    subscribe: (agentId, listener) => {
      waiting.set(agentId, (waiting.get(agentId) ?? 0) + 1)
      idle.delete(agentId)
      const stop = channels.subscribe(agentId, listener)
      if (!listened.has(agentId)) {
        listened.add(agentId)
        say('listen', agentId)
      }
      let stopped = false
      return () => {
        stop()
        if (stopped) return
        stopped = true
        const left = (waiting.get(agentId) ?? 1) - 1
        if (left > 0) return void waiting.set(agentId, left)
        waiting.delete(agentId)
        idle.add(agentId)
        const [oldest] = idle
        if (idle.size <= IDLE_KEPT || oldest === undefined) return
        idle.delete(oldest)
        listened.delete(oldest)
        say('unlisten', oldest)
      }
    },
    pending: () => pending,
    attach: async (session) => {
      session.onNotified((channel) => {
        if (channel.startsWith(PREFIX)) channels.signal(channel.slice(PREFIX.length) as AgentId)
      })
      for (const agentId of idle) listened.delete(agentId)
      idle.clear()
      // What is subscribed to from now on is listened on behind the others.
      attached = session
      if (listened.size > 0)
        await session.run(
          [...listened].map((agentId) => `listen ${quoted(channelOf(agentId))}`).join('; '),
        )
      for (const agentId of waiting.keys()) channels.signal(agentId)
    },
    begin: (own) => {
      link = own
    },
  }
}

const PREFIX = channelOf('' as AgentId)

/**
 * Whether what one connection notifies of reaches the other. Behind a pooler that gives each
 * transaction another connection it does not, and locks hold nothing there either. Throws
 * STORE_UNAVAILABLE.
 */
export async function requireNotifications(
  [from, to]: readonly [Session, Session],
  place: string,
): Promise<void> {
  const channel = `exomonad_probe_${randomUUID()}`
  const heard = Promise.withResolvers<boolean>()
  to.onNotified((name) => {
    if (name === channel) heard.resolve(true)
  })
  await to.run(`listen ${quoted(channel)}`)
  await from.run('select pg_notify($1, $2)', [channel, ''])
  const isHeard = await Promise.race([heard.promise, delay(PATIENCE, false, { ref: false })])
  await to.run(`unlisten ${quoted(channel)}`)
  if (!isHeard)
    throw unavailable(
      place,
      'LISTEN and NOTIFY don’t get through, by which agents that wait are woken. A pooler in between (PgBouncer in transaction mode) keeps them from it: connect to PostgreSQL itself, or to a pool in session mode',
    )
}

/** Milliseconds. */
const PATIENCE = 3000
