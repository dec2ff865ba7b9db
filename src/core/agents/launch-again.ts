import type { Agent, AgentPatch } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { Configured, Deps } from '../deps.ts'
import type { Launcher, LaunchOptions } from '../spawn/launch.ts'
import { sessionPatch, type Launched } from '../spawn/launched.ts'
import { newToken } from '../spawn/token.ts'
import { STOPPED } from '../../domain/lifecycle.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { startedKey, type StateChange, type States } from './states.ts'
import { requireOwnBranch } from '../spawn/take-over.ts'
import { addressOf } from './tree.ts'
import { wayBack } from '../../domain/state-words.ts'

/**
 * Starts the program of an agent that exists, anew or with its conversation. INVALID_ARG where it is
 * being started, or was a moment ago; ALREADY_DEAD where it can’t be, or was killed meanwhile; BRANCH_EXISTS
 * where another goes on with its work.
 */
export type LaunchAgain = (
  configured: Configured,
  agent: Agent,
  mode: 'start' | 'resume',
  prompt: string,
  more?: LaunchFacts,
) => Promise<Launched>

/** `patch`: what changes with the start; where it fails, that is again what it was. */
type LaunchFacts = Pick<LaunchOptions, 'transcript'> & { readonly patch?: AgentPatch }

export function createLaunchAgain(
  deps: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'log'> & {
    launcher: Pick<Launcher, 'launch'>
    states: States
    panes: OwnPanes
    /** Mail that an agent’s earlier program was notified of and never took. */
    remindOfMail: (agent: Agent) => Promise<void>
    /** A pane whose program may have ended before anybody knew whose it was. */
    opened: (paneId: PaneId) => void
    /** Whose programs are being started. */
    launching: Set<AgentId>
  },
): LaunchAgain {
  const { store, multiplexer, files, log, launcher, states, panes, launching } = deps

  const launchNow = async (
    configured: Configured,
    agent: Agent,
    mode: 'start' | 'resume',
    prompt: string,
    { patch, ...more }: LaunchFacts,
  ) => {
    const token = newToken()
    const begun: AgentPatch = {
      ...patch,
      ...(mode === 'start' ? { sessionId: null, transcript: null } : {}),
    }
    let before: AgentPatch = {}
    const change: StateChange = {
      to: 'spawning',
      source: 'human',
      actor: 'human',
      patch: {
        ...{
          tokenHash: token.hash,
          paneId: null,
          pid: null,
          exitCode: null,
          exitSignal: null,
          endedAt: null,
          reapedAt: null,
          cleanedAt: null,
        },
        ...begun,
      },
    }
    const spawning = await store.transaction(async (tx) => {
      const agents = await tx.agents.list()
      requireOwnBranch(agents, agent.id)
      before = pick(agents.find(({ id }) => id === agent.id) ?? {}, begun)
      const changed = await states.change(agent.id, change, tx)
      if (changed !== undefined) await tx.runs.reopen(agent.id)
      return changed
    })
    if (spawning === undefined)
      throw new ExomonadError(
        'ALREADY_DEAD',
        `${agent.name} ${agent.state === 'killed' ? 'was killed' : 'has ended'}. ${wayBack(agent)}`.trimEnd(),
        { agent: agent.id, state: agent.state },
      )
    let launched: Launched | undefined
    try {
      await panes.close(agent)
      await files.writeChannel(agent.id, null)
      const session =
        mode === 'resume' && agent.sessionId !== null
          ? { id: agent.sessionId, transcript: agent.transcript }
          : null
      const up = await launcher.launch(configured, spawning, {
        ...{ mode, prompt, session, token },
        ...more,
      })
      launched = up
      const running = await store.transaction(async (tx) => {
        const now = await tx.agents.get(agent.id)
        const change: StateChange = {
          // Its hooks may have reported more by now; looked at in this transaction, or what they
          // report after the look would be taken back.
          ...(now === undefined || now.state === 'spawning'
            ? ({ to: 'running', source: 'process' } as const)
            : { to: now.state, source: now.stateSource, reason: now.stateReason }),
          actor: 'human',
          patch: { paneId: up.paneId, pid: up.pid, ...sessionPatch(up) },
          events: () => [
            {
              type: 'agent.started',
              agentId: agent.id,
              actor: 'human',
              payload: { name: agent.name, resumed: mode === 'resume' },
              dedupeKey: startedKey(agent.id, up.pid),
            },
          ],
        }
        return states.change(agent.id, change, tx)
      })
      if (running === undefined)
        throw new ExomonadError(
          'ALREADY_DEAD',
          `${agent.name} was killed while it was being started.`,
          { agent: agent.id },
        )
    } catch (thrown) {
      // Nobody could end it later: the records know neither its pane nor that it runs.
      if (launched !== undefined)
        await multiplexer
          .close(launched.paneId)
          .catch((err: unknown) =>
            log.error({ err, agent: agent.id }, 'a program whose start failed could not be ended'),
          )
      await states.change(agent.id, {
        to: agent.kind === 'root' ? 'idle' : 'failed',
        reason: agent.kind === 'root' ? STOPPED : asExomonadError(thrown).message,
        source: 'daemon',
        actor: 'daemon',
        patch: { ...before, pid: null },
      })
      // Its token must not lie about where no program has it.
      await files.remove(agent.id)
      throw thrown
    }
    // It runs, whatever comes of this: it finds its mail by looking as well.
    await deps
      .remindOfMail(agent)
      .catch((err: unknown) =>
        log.warn({ err, agent: agent.id }, 'an agent could not be reminded of its mail'),
      )
    deps.opened(launched.paneId)
    return launched
  }

  return async (configured, agent, mode, prompt, more = {}) => {
    if (launching.has(agent.id))
      throw new ExomonadError('INVALID_ARG', `${agent.name} is being started already.`, {
        agent: agent.id,
      })
    launching.add(agent.id)
    try {
      // Looked at again: another start may have come to its end since.
      const now = await store.agents.get(agent.id)
      if (now !== undefined && now.pid !== null && now.pid !== agent.pid) {
        throw new ExomonadError(
          'INVALID_ARG',
          `${agent.name} was started a moment ago. \`exomonad attach ${addressOf(agent)}\` shows it.`,
          { agent: agent.id },
        )
      }
      return await launchNow(configured, agent, mode, prompt, more)
    } finally {
      launching.delete(agent.id)
    }
  }
}

/** Of the one what the other has as well. */
const pick = (from: AgentPatch, keys: AgentPatch): AgentPatch =>
  Object.fromEntries(Object.entries(from).filter(([key]) => key in keys))
