import { randomBytes } from 'node:crypto'
import { DETACHED_TERMINAL, HEADLESS_PANE } from '../../../domain/headless-pane.ts'
import { asPaneId, type AgentId, type PaneId } from '../../../domain/ids.ts'
import { addToTrace } from '../../../domain/pane-trace.ts'
import { awaitEnd } from '../../../../packages/subagents/src/processes/deadline.ts'
import { endPanes } from '../../../processes/end-processes.ts'
import type { startOnPipes } from '../../../processes/exec.ts'
import { createOutputLog, type OutputLog } from '../../../processes/host/output-log.ts'
import type { TypeResult } from '../holder.ts'
import { hostProcess, hostSession } from './headless-program.ts'
import { createHostedPane, type HostedPane } from './hosted-pane.ts'
import type { CreateSession, Hosted, Session } from './hosted.ts'
import { followOutput, type Following } from './output-followers.ts'
import type { Viewers, Viewing } from './viewers.ts'
import {
  KILL_GRACE,
  type FollowMessage,
  type HeldPane,
  type OpenTakes,
  type Verbs,
} from './protocol.ts'

/** How long the end of a program that was just killed may take to be noticed. */
const SETTLE_LIMIT = 3000

interface Held {
  readonly paneId: PaneId
  readonly agentId: AgentId
  readonly openId: string
  /** What it runs: one of the three, and what only that can do. */
  readonly program:
    | { readonly kind: 'terminal'; readonly hosted: HostedPane }
    | { readonly kind: 'process'; readonly hosted: Hosted; readonly log: OutputLog }
    | {
        readonly kind: 'acp'
        readonly hosted: Hosted
        readonly log: OutputLog
        readonly session: Session
      }
  /** Called when it goes. */
  readonly followers: Set<() => void>
  name: string
  pasted: string | null
  entered: string | null
  endedAt: number | null
  ending: Promise<void> | undefined
}

type Gives<Verb extends keyof Verbs> = Promise<Verbs[Verb]['gives']>

/**
 * What the host holds, ended things included until they are removed. Ids are random: one from
 * before a restart names nobody.
 */
export interface HeldPanes {
  readonly size: number
  /** The pty library leaves descriptors open to what is started meanwhile. */
  readonly hasTerminals: boolean
  open(takes: OpenTakes): Gives<'open'>
  list(): HeldPane[]
  paste(takes: Verbs['paste']['takes']): Gives<'paste'>
  key(takes: Verbs['key']['takes']): Gives<'key'>
  write(takes: Verbs['write']['takes']): Gives<'write'>
  capture(takes: Verbs['capture']['takes']): Gives<'capture'>
  rename(takes: Verbs['rename']['takes']): boolean
  end(takes: Verbs['end']['takes']): Gives<'end'>
  remove(takes: Verbs['remove']['takes']): boolean
  session(takes: Verbs['session']['takes']): Verbs['session']['gives']
  prompt(takes: Verbs['prompt']['takes']): Gives<'prompt'>
  mentions(takes: Verbs['mentions']['takes']): Verbs['mentions']['gives']
  /** Undefined where there is no such terminal. `onLeft` is called when it goes. */
  view(takes: Parameters<Viewers['view']>[0]): Viewing | undefined
  /** Undefined where there is no such pane without a terminal. */
  follow(
    takes: Verbs['follow']['takes'],
    send: (message: FollowMessage) => void,
  ): Following | undefined
  dispose(): void
}

export function createHeldPanes(options: {
  /** Of what has no terminal. */
  start: typeof startOnPipes
  createSession: CreateSession
  now: () => number
  onChange: () => void
  complain: (error: unknown) => void
}): HeldPanes {
  const { start, createSession, now, onChange, complain } = options
  const panes = new Map<PaneId, Held>()

  const describe = ({
    paneId,
    agentId,
    name,
    program,
    endedAt,
    pasted,
    entered,
  }: Held): HeldPane => ({
    paneId,
    agentId,
    name,
    title: program.kind === 'terminal' ? program.hosted.title : null,
    pid: program.hosted.pid,
    dead: program.hosted.ended !== undefined,
    exitCode: program.hosted.ended?.exitCode ?? null,
    exitSignal: program.hosted.ended?.exitSignal ?? null,
    endedAt,
    humanActiveAt: program.kind === 'terminal' ? program.hosted.humanActiveAt : null,
    pasted,
    entered,
  })

  const run = (takes: OpenTakes, name: () => string): Held['program'] => {
    const { agentId, cwd, argv, rows } = takes
    if (takes.kind === 'terminal')
      return { kind: 'terminal', hosted: createHostedPane({ ...takes, name, now }) }
    const log = createOutputLog({ file: takes.output, bound: takes.outputBound })
    // By this mark all is found that it ever started.
    const env = { ...takes.env, EXOMONAD_AGENT_ID: agentId }
    if (takes.kind === 'process')
      return { kind: 'process', log, hosted: hostProcess({ start, cwd, env, argv, rows, log }) }
    const session = createSession({
      agentId,
      name: takes.name,
      cwd,
      env,
      argv,
      session: takes.session,
      log,
      complain,
    })
    return { kind: 'acp', log, session, hosted: hostSession(session, { log, rows }) }
  }

  /** What they started goes with them, whatever group or session that is in by now. */
  const endLeftOf = async ({ agentId }: Held, hosted: Hosted): Promise<void> => {
    const ended = !(await hosted.leavesBehind())
    await endPanes([{ pid: hosted.pid, agentId, ended }], { signal: 'SIGTERM', grace: KILL_GRACE })
  }
  const endAll = async (held: readonly Held[], grace: number): Promise<void> => {
    const leaders = (isTerminal: boolean) =>
      held
        .filter(({ program }) => (program.kind === 'terminal') === isTerminal)
        .map(({ agentId, program: { hosted } }) => ({
          pid: hosted.pid,
          agentId,
          ended: hosted.ended !== undefined,
        }))
    const [terminals, others] = [leaders(true), leaders(false)]
    await Promise.all([
      terminals.length > 0 && endPanes(terminals, { grace }),
      others.length > 0 && endPanes(others, { signal: 'SIGTERM', grace: KILL_GRACE }),
    ])
  }
  const endNow = async (held: readonly Held[], grace: number): Promise<void> => {
    for (const { program } of held) program.hosted.leave()
    await endAll(held, grace)
    await Promise.all(
      held.map(async ({ program }) => {
        await awaitEnd(program.hosted.end, SETTLE_LIMIT)
        if (program.kind !== 'terminal') await program.log.close()
      }),
    )
  }

  const type = async (
    paneId: PaneId,
    act: (hosted: Hosted) => Promise<TypeResult>,
  ): Promise<TypeResult> => {
    const held = panes.get(paneId)
    if (held === undefined) return { kind: 'gone' }
    return held.program.hosted.ended === undefined
      ? await act(held.program.hosted)
      : { kind: 'dead' }
  }
  const sessionOf = (paneId: PaneId): Session | undefined => {
    const program = panes.get(paneId)?.program
    return program?.kind === 'acp' ? program.session : undefined
  }

  return {
    get size() {
      return panes.size
    },
    get hasTerminals() {
      return [...panes.values()].some(({ program }) => program.kind === 'terminal')
    },
    open: async (takes) => {
      const { openId, agentId, name, kind } = takes
      const again = [...panes.values()].find((held) => held.openId === openId)
      if (again !== undefined) return { paneId: again.paneId, pid: again.program.hosted.pid }
      const paneId = asPaneId(
        `${kind === 'terminal' ? DETACHED_TERMINAL : HEADLESS_PANE}${randomBytes(4).toString('hex')}`,
      )
      const program = run(takes, () => panes.get(paneId)?.name ?? name)
      const held: Held = {
        paneId,
        agentId,
        openId,
        program,
        followers: new Set(),
        name,
        pasted: null,
        entered: null,
        endedAt: null,
        ending: undefined,
      }
      panes.set(paneId, held)
      void program.hosted.end.then(() => {
        held.endedAt = now()
        onChange()
        // Nobody sees what it left running, and nobody waits for it. What a terminal’s program
        // left, its hang-up ends, or whoever closes the pane.
        if (held.ending === undefined && program.kind !== 'terminal')
          endLeftOf(held, program.hosted).catch(complain)
      })
      return { paneId, pid: program.hosted.pid }
    },
    list: () => [...panes.values()].map(describe),
    paste: async ({ paneId, text, key }) => {
      const result = await type(paneId, (hosted) => hosted.paste(text))
      const held = panes.get(paneId)
      if (result.kind === 'typed' && key !== null && held !== undefined)
        held.pasted = addToTrace(held.pasted, key)
      return result
    },
    key: async ({ paneId, key, submits }) => {
      const result = await type(paneId, (hosted) =>
        key === 'enter' ? hosted.enter() : hosted.escape(),
      )
      const held = panes.get(paneId)
      if (result.kind === 'typed' && submits !== undefined && held !== undefined)
        held.entered = addToTrace(held.entered, submits)
      return result
    },
    write: async ({ paneId, data }) => {
      const hosted = panes.get(paneId)?.program.hosted
      if (hosted === undefined) return { kind: 'gone' }
      if (hosted.ended !== undefined) return { kind: 'closed' }
      const kind = await hosted.write(data)
      return kind === 'written' ? { kind, bytes: Buffer.byteLength(data) } : { kind }
    },
    capture: async ({ paneId, lines, styled }) => {
      const hosted = panes.get(paneId)?.program.hosted
      return hosted === undefined ? null : { text: await hosted.capture(lines, { styled }) }
    },
    rename: ({ paneId, name }) => {
      const held = panes.get(paneId)
      if (held !== undefined) held.name = name
      if (held?.program.kind === 'terminal') held.program.hosted.refresh()
      return held !== undefined
    },
    end: async ({ paneIds, grace }) => {
      const found = paneIds.flatMap((paneId) => panes.get(paneId) ?? [])
      const unasked = found.filter(({ ending }) => ending === undefined)
      if (unasked.length > 0) {
        const ending = endNow(unasked, grace).catch((error: unknown) => {
          // Whoever asks again has another try.
          for (const held of unasked) held.ending = undefined
          throw error
        })
        for (const held of unasked) held.ending = ending
      }
      await Promise.all(found.flatMap(({ ending }) => ending ?? []))
      return found.length > 0
    },
    remove: ({ paneId }) => {
      const held = panes.get(paneId)
      if (held === undefined) return false
      panes.delete(paneId)
      for (const left of held.followers) left()
      held.program.hosted.close()
      onChange()
      return true
    },
    session: ({ paneId }) => sessionOf(paneId)?.session() ?? null,
    prompt: async ({ paneId, text }) => {
      const session = sessionOf(paneId)
      if (session === undefined) return null
      return session.ended === undefined
        ? await session.prompt(text)
        : { kind: 'refused', reason: 'its program has ended' }
    },
    mentions: ({ paneId, words }) => sessionOf(paneId)?.mentions(words) ?? null,
    view: (takes) => {
      const program = panes.get(takes.paneId)?.program
      return program?.kind === 'terminal' ? program.hosted.view(takes) : undefined
    },
    follow: ({ paneId }, send) => {
      const held = panes.get(paneId)
      return held === undefined || held.program.kind === 'terminal'
        ? undefined
        : followOutput(held.program, held.followers, send)
    },
    dispose: () => {
      for (const { program } of panes.values()) {
        program.hosted.leave()
        program.hosted.close()
      }
      panes.clear()
    },
  }
}
