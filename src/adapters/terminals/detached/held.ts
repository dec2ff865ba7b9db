import { randomBytes } from 'node:crypto'
import { DETACHED_TERMINAL, HEADLESS_PANE } from '../../../domain/panes/headless-pane.ts'
import { asPaneId, type PaneId } from '../../../domain/ids.ts'
import { addToTrace } from '../../../domain/panes/pane-trace.ts'
import type { startOnPipes } from '../../../processes/start-on-pipes.ts'
import { createOutputLog } from '../../../processes/host/output-log.ts'
import type { TypeResult } from '../holder.ts'
import { hostProcess, hostSession } from './headless-program.ts'
import { endLeftOf, endNow } from './end-held.ts'
import { describeHeld, type Held } from './held-pane.ts'
import type { createHostedPane } from './hosted-pane.ts'
import type { CreateSession, Hosted, Session } from './hosted.ts'
import { followOutput, type Follower, type Following } from './output-followers.ts'
import type { Viewers, Viewing } from './viewers.ts'
import type { HeldPane, OpenTakes, Verbs } from './protocol.ts'

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
  follow(takes: Verbs['follow']['takes'], follower: Follower): Following | undefined
  dispose(): void
}

export function createHeldPanes(options: {
  /** Of what has no terminal. */
  start: typeof startOnPipes
  /** What only some of them need, loaded with the first that does. */
  load: {
    readonly terminals: () => Promise<{ readonly createHostedPane: typeof createHostedPane }>
    readonly sessions: () => Promise<{ readonly createSession: CreateSession }>
  }
  now: () => number
  onChange: () => void
  complain: (error: unknown) => void
}): HeldPanes {
  const { start, load, now, onChange, complain } = options
  const panes = new Map<PaneId, Held>()

  /** How one of this kind is started: at once, when all that takes is there. */
  const starter = async (takes: OpenTakes): Promise<(name: () => string) => Held['program']> => {
    if (takes.kind === 'terminal') {
      const terminals = await load.terminals()
      return (name) => ({
        kind: 'terminal',
        hosted: terminals.createHostedPane({ ...takes, name, now }),
      })
    }
    if (takes.kind === 'process') return () => runProcess(takes)
    const { createSession } = await load.sessions()
    return () => runSession(takes, createSession)
  }
  /** By this mark all is found that it ever started. */
  const marked = ({ env, agentId }: OpenTakes) => ({ ...env, EXOMONAD_AGENT_ID: agentId })
  const runProcess = (takes: OpenTakes & { kind: 'process' }): Held['program'] => {
    const { cwd, argv, rows } = takes
    const log = createOutputLog({ file: takes.output, bound: takes.outputBound })
    const hosted = hostProcess({ start, cwd, env: marked(takes), argv, rows, log })
    return { kind: 'process', log, hosted }
  }
  const runSession = (
    takes: OpenTakes & { kind: 'acp' },
    createSession: CreateSession,
  ): Held['program'] => {
    const { agentId, name, cwd, argv, rows } = takes
    const log = createOutputLog({ file: takes.output, bound: takes.outputBound })
    const session = createSession({
      ...{ agentId, name, cwd, argv, log, complain },
      env: marked(takes),
      session: takes.session,
    })
    return { kind: 'acp', log, session, hosted: hostSession(session, { log, rows }) }
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
      // Before anything else: from the look for an earlier one on nothing comes between.
      const startNow = await starter(takes)
      const again = [...panes.values()].find((held) => held.openId === openId)
      if (again !== undefined) return { paneId: again.paneId, pid: again.program.hosted.pid }
      const paneId = asPaneId(
        `${kind === 'terminal' ? DETACHED_TERMINAL : HEADLESS_PANE}${randomBytes(4).toString('hex')}`,
      )
      const program = startNow(() => panes.get(paneId)?.name ?? name)
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
    list: () => [...panes.values()].map(describeHeld),
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
    follow: ({ paneId }, follower) => {
      const held = panes.get(paneId)
      return held === undefined || held.program.kind === 'terminal'
        ? undefined
        : followOutput(held.program, held.followers, follower)
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
