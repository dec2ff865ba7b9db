import { addToTrace } from '../../pane-trace.ts'
import { randomBytes } from 'node:crypto'
import { asPaneId, type AgentId, type PaneId } from '../../ids.ts'
import { RUNNER_PANE } from '../../runner-pane.ts'
import type { TypeResult } from '../terminals/holder.ts'
import { endPanes } from '../../processes/end-processes.ts'
import { awaitEnd } from '../../processes/deadline.ts'
import type { CreateSession, Hosted, HostedEnd, OutputLog, Session } from './hosted.ts'
import { startHostedProcess } from './hosted-process.ts'
import { createOutputLog } from './output-log.ts'
import { KILL_GRACE, type FollowMessage, type HostedEntry, type Verbs } from './protocol.ts'

/** How long the end of a program that was just killed may take to be noticed. */
const SETTLE_LIMIT = 3000

interface Entry {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly openId: string
  readonly rows: number
  readonly log: OutputLog
  readonly hosted: Hosted
  /** The same, where it is a session. */
  readonly session: Session | undefined
  readonly followers: Set<{ left: () => void }>
  name: string
  pasted: string | null
  entered: string | null
  endedAt: number | null
  ending: Promise<void> | undefined
}

export interface Following {
  stop(): void
}

type Answer<Verb extends keyof Verbs> = Promise<Verbs[Verb]['gives']>

/** What the runner holds, ended things included until they are closed. Ids are random: one from before a restart names nobody. */
export interface Entries {
  readonly size: number
  open(takes: Verbs['open']['takes']): Answer<'open'>
  list(): HostedEntry[]
  paste(takes: Verbs['paste']['takes']): Answer<'paste'>
  key(takes: Verbs['key']['takes']): Answer<'key'>
  write(takes: Verbs['write']['takes']): Answer<'write'>
  capture(takes: Verbs['capture']['takes']): Verbs['capture']['gives']
  rename(takes: Verbs['rename']['takes']): boolean
  end(takes: Verbs['end']['takes']): Answer<'end'>
  remove(takes: Verbs['remove']['takes']): boolean
  session(takes: Verbs['session']['takes']): Verbs['session']['gives']
  prompt(takes: Verbs['prompt']['takes']): Answer<'prompt'>
  mentions(takes: Verbs['mentions']['takes']): Verbs['mentions']['gives']
  /** Undefined where there is no such pane. */
  follow(takes: Verbs['follow']['takes'], send: (message: FollowMessage) => void): Following | undefined
  dispose(): void
}

export function createEntries(options: { createSession: CreateSession; onChange: () => void; complain: (error: unknown) => void }): Entries {
  const { createSession, onChange, complain } = options
  const entries = new Map<PaneId, Entry>()

  const describe = ({ paneId, agentId, name, hosted, endedAt, pasted, entered }: Entry): HostedEntry => ({
    paneId,
    agentId,
    name,
    pid: hosted.pid,
    dead: hosted.ended !== undefined,
    exitCode: hosted.ended?.exitCode ?? null,
    exitSignal: hosted.ended?.exitSignal ?? null,
    endedAt,
    pasted,
    entered,
  })

  /** What it started goes with it, whatever group or session that is in by now. */
  const endAll = ({ agentId, hosted: { pid, ended } }: Entry, justEnded = false) =>
    endPanes([{ pid, agentId, ended: ended !== undefined && !justEnded }], { signal: 'SIGTERM', grace: KILL_GRACE })

  const endNow = async (entry: Entry): Promise<void> => {
    entry.hosted.leave()
    await endAll(entry)
    await awaitEnd(entry.hosted.end, SETTLE_LIMIT)
    await entry.log.close()
  }

  const type = async (paneId: PaneId, act: (hosted: Hosted) => Promise<TypeResult>): Promise<TypeResult> => {
    const entry = entries.get(paneId)
    if (entry === undefined) return { kind: 'gone' }
    return entry.hosted.ended === undefined ? await act(entry.hosted) : { kind: 'dead' }
  }

  return {
    get size() {
      return entries.size
    },
    open: async ({ openId, agentId, name, cwd, env, argv, rows, program, output, outputBound }) => {
      const again = [...entries.values()].find((entry) => entry.openId === openId)
      if (again !== undefined) return { paneId: again.paneId, pid: again.hosted.pid }
      const log = createOutputLog({ file: output, bound: outputBound })
      // By this mark all is found that it ever started.
      const marked = { ...env, EXOMONAD_AGENT_ID: agentId }
      const session = program.kind === 'acp' ? createSession({ agentId, name, cwd, env: marked, argv, session: program.session, log, complain }) : undefined
      const hosted = session ?? startHostedProcess({ cwd, env: marked, argv, log })
      const paneId = asPaneId(`${RUNNER_PANE}${randomBytes(4).toString('hex')}`)
      const entry: Entry = {
        paneId,
        agentId,
        openId,
        rows,
        log,
        hosted,
        session,
        followers: new Set(),
        name,
        pasted: null,
        entered: null,
        endedAt: null,
        ending: undefined,
      }
      entries.set(paneId, entry)
      void hosted.end.then(() => {
        entry.endedAt = Date.now()
        onChange()
        // Nobody reads what it left running in its group, and nobody waits for it. Its number can’t be another’s yet.
        if (entry.ending === undefined) endAll(entry, true).catch(complain)
      })
      return { paneId, pid: hosted.pid }
    },
    list: () => [...entries.values()].map(describe),
    paste: async ({ paneId, text, key }) => {
      const result = await type(paneId, (hosted) => hosted.paste(text))
      const entry = entries.get(paneId)
      if (result.kind === 'typed' && key !== null && entry !== undefined) entry.pasted = addToTrace(entry.pasted, key)
      return result
    },
    key: async ({ paneId, key, submits }) => {
      const result = await type(paneId, (hosted) => (key === 'enter' ? hosted.enter() : hosted.interrupt()))
      const entry = entries.get(paneId)
      if (result.kind === 'typed' && submits !== undefined && entry !== undefined) entry.entered = addToTrace(entry.entered, submits)
      return result
    },
    write: async ({ paneId, data }) => {
      const entry = entries.get(paneId)
      if (entry === undefined) return { kind: 'gone' }
      if (entry.hosted.ended !== undefined) return { kind: 'closed' }
      const kind = await entry.hosted.write(data)
      return kind === 'written' ? { kind, bytes: Buffer.byteLength(data) } : { kind }
    },
    capture: ({ paneId, lines, styled }) => {
      const entry = entries.get(paneId)
      return entry === undefined ? null : { text: entry.log.tail(entry.rows + lines, { styled }) }
    },
    rename: ({ paneId, name }) => {
      const entry = entries.get(paneId)
      if (entry !== undefined) entry.name = name
      return entry !== undefined
    },
    end: async ({ paneId }) => {
      const entry = entries.get(paneId)
      if (entry === undefined) return false
      await (entry.ending ??= endNow(entry))
      return true
    },
    remove: ({ paneId }) => {
      const entry = entries.get(paneId)
      if (entry === undefined) return false
      entries.delete(paneId)
      for (const { left } of entry.followers) left()
      void entry.log.close()
      onChange()
      return true
    },
    session: ({ paneId }) => entries.get(paneId)?.session?.session() ?? null,
    prompt: async ({ paneId, text }) => {
      const session = entries.get(paneId)?.session
      if (session === undefined) return null
      return session.ended === undefined ? await session.prompt(text) : { kind: 'refused', reason: 'its program has ended' }
    },
    mentions: ({ paneId, words }) => entries.get(paneId)?.session?.mentions(words) ?? null,
    follow: ({ paneId }, send) => {
      const entry = entries.get(paneId)
      if (entry === undefined) return undefined
      const follower = { left: () => send({ event: 'left' }) }
      const stop = entry.log.follow((text) => send({ event: 'text', text }))
      const before = entry.log.tail(Infinity, { styled: true })
      if (before !== '') send({ event: 'text', text: `${before}\n` })
      entry.followers.add(follower)
      void entry.hosted.end.then((end) => {
        if (entry.followers.has(follower)) send({ event: 'ended', how: describeEnd(end) })
      })
      return {
        stop: () => {
          stop()
          entry.followers.delete(follower)
        },
      }
    },
    dispose: () => {
      for (const { hosted, log } of entries.values()) {
        hosted.leave()
        void log.close()
      }
      entries.clear()
    },
  }
}

const describeEnd = ({ exitCode, exitSignal }: HostedEnd): string => exitSignal ?? (exitCode === null ? 'it did not start' : `exit code ${String(exitCode)}`)
