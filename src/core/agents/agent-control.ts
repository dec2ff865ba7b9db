import { setTimeout as delay } from 'node:timers/promises'
import type { Agent } from '../../domain/records.ts'
import { asExomonadError, ExomonadError } from '../../domain/errors.ts'
import type { AgentId, PaneId } from '../../domain/ids.ts'
import type { ResumedAgent, AgentControl, SpawnError } from '../core.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { actorOf, findAgent, requireAlive, requireBelow, requireLasting } from './directory.ts'
import type { EndProgram } from './end-program.ts'
import {
  newToken,
  parentText,
  promptFacts,
  sessionPatch,
  type Launcher,
  type LaunchOptions,
} from '../spawn/launch.ts'
import { isAlive, isLasting, STOPPED } from '../../domain/lifecycle.ts'
import type { OwnPanes } from '../panes/panes.ts'
import { runtimeOf, toolsOf } from './programs.ts'
import { knownPulls, mergedBranches } from '../pulls/pull-records.ts'
import { startedKey, type StateChange, type States } from './states.ts'
import { addressOf, descendantsOf, isFolded, resolveAddress } from './tree.ts'

/** How long `down` waits for spawns that are under way: rounds, and milliseconds between them. */
const SPAWN_ROUNDS = 200
const SPAWN_WAIT = 50

/** Programs of agents that exist: started, ended, brought back, looked at. */
export function createAgentControl(
  deps: Pick<Deps, 'store' | 'multiplexer' | 'files' | 'settings' | 'prompts' | 'publisher'> & {
    launcher: Launcher
    states: States
    panes: OwnPanes
    endProgram: EndProgram
    say: (agent: Agent, message: string) => Promise<void>
    /** Mail that an agent’s earlier program was told of and never took. */
    remindOfMail: (agent: Agent) => Promise<void>
    /** A pane whose program may have ended before anybody knew whose it was. */
    opened: (paneId: PaneId) => void
    /** Whose programs are being started. */
    launching: Set<AgentId>
  },
): AgentControl {
  const {
    store,
    multiplexer,
    files,
    settings,
    prompts,
    launcher,
    states,
    panes,
    endProgram,
    launching,
  } = deps

  const find = (address: string) => findAgent(store.agents, address)

  const launchAgain = async (
    agent: Agent,
    mode: 'start' | 'resume',
    prompt: string,
    more: Pick<LaunchOptions, 'transcript'> = {},
  ) => {
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
      return await launchNow(agent, mode, prompt, more)
    } finally {
      launching.delete(agent.id)
    }
  }

  const launchNow = async (
    agent: Agent,
    mode: 'start' | 'resume',
    prompt: string,
    more: Pick<LaunchOptions, 'transcript'>,
  ) => {
    const token = newToken()
    await panes.close(agent)
    await store.runs.reopen(agent.id)
    await files.writeChannel(agent.id, null)
    const spawning = await states.change(agent.id, {
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
        ...(mode === 'start' ? { sessionId: null, transcript: null } : {}),
      },
    })
    if (spawning === undefined)
      throw new ExomonadError(
        'ALREADY_DEAD',
        `${agent.name} is ${agent.state}; that does not change.`,
        { agent: agent.id, state: agent.state },
      )
    try {
      const session =
        mode === 'resume' && agent.sessionId !== null
          ? { id: agent.sessionId, transcript: agent.transcript }
          : null
      const launched = await launcher.launch(spawning, { mode, prompt, session, token, ...more })
      const running = await store.transaction(async (tx) => {
        const now = await tx.agents.get(agent.id)
        const change: StateChange = {
          // Its hooks may have told more by now; looked at in this transaction, or what they tell
          // after the look would be taken back.
          ...(now === undefined || now.state === 'spawning'
            ? ({ to: 'running', source: 'process' } as const)
            : { to: now.state, source: now.stateSource, reason: now.stateReason }),
          actor: 'human',
          patch: { paneId: launched.paneId, pid: launched.pid, ...sessionPatch(launched) },
          events: () => [
            {
              type: 'agent.started',
              agentId: agent.id,
              actor: 'human',
              payload: { name: agent.name, resumed: mode === 'resume' },
              dedupeKey: startedKey(agent.id, launched.pid),
            },
          ],
        }
        return states.change(agent.id, change, tx)
      })
      if (running === undefined) {
        await multiplexer.close(launched.paneId)
        throw new ExomonadError(
          'ALREADY_DEAD',
          `${agent.name} was killed while it was being started.`,
          { agent: agent.id },
        )
      }
      await deps.remindOfMail(agent)
      deps.opened(launched.paneId)
      return launched
    } catch (thrown) {
      await states.change(agent.id, {
        to: agent.kind === 'root' ? 'idle' : 'failed',
        reason: agent.kind === 'root' ? STOPPED : asExomonadError(thrown).message,
        source: 'daemon',
        actor: 'daemon',
        patch: { pid: null },
      })
      // Its token must not lie about where no program has it.
      await files.remove(agent.id)
      throw thrown
    }
  }

  return {
    up: async (task, agentName) => {
      const root = (await store.agents.list()).find((agent) => agent.kind === 'root')
      if (root === undefined)
        throw new ExomonadError(
          'NOT_INITIALIZED',
          'No root is registered here. Run `exomonad init` first.',
        )
      const pane = await panes.find(root)
      if (pane !== undefined && !pane.dead) {
        if (task !== undefined) await deps.say(root, task)
        return {
          agent_id: root.id,
          pane: pane.paneId,
          already: true,
          warnings:
            task === undefined
              ? []
              : ['The root’s agent runs already: the task was sent to it as a message.'],
        }
      }
      await settings.requireTrust()
      const agentCli = await launcher.cliOfRole(root.role, agentName)
      await launcher.requireProgram(agentCli)
      const resuming = task === undefined && root.task !== ''
      // The conversation of another program is nothing to go on with.
      const session =
        root.agentCli === null || root.agentCli === agentCli
          ? {}
          : { sessionId: null, transcript: null }
      await store.agents.update(root.id, {
        agentCli,
        ...session,
        runtime: runtimeOf(agentCli),
        tools: toolsOf(await settings.config(), agentCli),
        ...(task === undefined ? {} : { task, outcome: null }),
      })
      const prompt = await prompts(
        'root',
        promptFacts({ ...root, task: task ?? root.task }, undefined),
      )
      const launched = await launchAgain(
        { ...root, agentCli, runtime: runtimeOf(agentCli), ...session, task: task ?? root.task },
        resuming ? 'resume' : 'start',
        prompt,
      )
      return {
        agent_id: root.id,
        pane: launched.paneId,
        already: false,
        warnings: [...launched.plan.warnings],
      }
    },

    down: async () => {
      const stopped: AgentId[] = []
      // A spawn that is under way when this begins ends with a program as well: looked at again
      // until nobody has one.
      for (let round = 0; round < SPAWN_ROUNDS; round++) {
        // Before anybody is asked to end, and all at once: one by one, the last of many would still
        // run while the first are written down.
        const { live, running } = await store.transaction(async (tx) => {
          const live = await tx.agents.list({ live: true })
          const running = live.filter((agent) => agent.paneId !== null)
          for (const agent of running) {
            // What can’t be brought back has ended.
            const change = isLasting(agent)
              ? ({ to: 'idle', patch: { paneId: null, pid: null } } as const)
              : ({ to: 'killed' } as const)
            await states.change(
              agent.id,
              { ...change, reason: STOPPED, source: 'human', actor: 'human' },
              tx,
            )
          }
          return { live, running }
        })
        stopped.push(...running.map(({ id }) => id))
        await Promise.all(running.map(endProgram))
        if (running.length > 0) continue
        if (!live.some((agent) => agent.state === 'spawning')) break
        await delay(SPAWN_WAIT)
      }
      return { stopped }
    },

    resume: async (address) => {
      await settings.requireTrust()
      const agents = await store.agents.list()
      const merged = mergedBranches(await knownPulls(store))
      // What is done is brought back only by name.
      const done = (agent: Agent) =>
        agent.kind !== 'root' && (agent.outcome?.success === true || isFolded(agent, merged))
      const running = new Set(
        (await multiplexer.list()).filter((pane) => !pane.dead).map((pane) => pane.agentId),
      )
      // One in state spawning is at work; one that a crash left so is settled by the next
      // reconciliation.
      const gone = (agent: Agent) => !running.has(agent.id) && agent.state !== 'spawning'
      const wanted =
        address === undefined
          ? agents.filter(
              (agent) =>
                gone(agent) &&
                agent.reapedAt === null &&
                !done(agent) &&
                isLasting(agent) &&
                agent.agentCli !== null &&
                (agent.state === 'failed' || isAlive(agent.state)),
            )
          : [resolveAddress(agents, address)]
      const resumed: ResumedAgent[] = []
      const errors: SpawnError[] = []
      for (const agent of wanted) {
        try {
          requireLasting(agent)
          if (!gone(agent))
            throw new ExomonadError(
              'INVALID_ARG',
              `${agent.name} runs already. \`exomonad attach ${addressOf(agent)}\` shows it.`,
            )
          if (!(await files.exists(agent.worktree)))
            throw new ExomonadError(
              'NOT_AVAILABLE',
              `The worktree of ${agent.name} is gone: ${agent.worktree}. \`git worktree add\` it again, then resume.`,
            )
          const parent = agents.find(({ id }) => id === agent.parentId)
          const kept = parentText(files, agent)
          const handed =
            agent.kind === 'fork' && (await files.exists(kept)) ? { transcript: kept } : {}
          const prompt = await prompts('resume', { ...promptFacts(agent, parent), ...handed })
          const launched = await launchAgain(agent, 'resume', prompt, handed)
          const { session, warnings } = launched.plan
          resumed.push({
            agent_id: agent.id,
            name: agent.name,
            pane: launched.paneId,
            session,
            warnings: [...warnings],
          })
        } catch (thrown) {
          const error = asExomonadError(thrown)
          if (address !== undefined) throw error
          errors.push({ name: agent.name, error: error.message, code: error.code })
        }
      }
      return { resumed, errors }
    },

    kill: async (caller: Caller, address, why) => {
      const target = await findAgent(store.agents, address)
      if (target.kind === 'root')
        throw new ExomonadError(
          'NOT_ALLOWED',
          'The root can’t be killed. `exomonad down` ends its program.',
          { agent: target.id },
        )
      if (caller.kind === 'agent' && target.id === caller.agent.id) {
        throw new ExomonadError(
          'NOT_A_CHILD',
          'That is yourself: when you are done, end your turn. Only those above you can kill you.',
          { agent: target.id },
        )
      }
      const { killed, doomed } = await store.transaction(async (tx) => {
        // Read here: a child that is spawned meanwhile is either seen, or finds its parent dead.
        const agents = await tx.agents.list()
        requireBelow(agents, caller, target, 'kill')
        requireAlive(agents.find((agent) => agent.id === target.id) ?? target, 'kill')
        const doomed = [...descendantsOf(agents, target.id), target].filter((agent) =>
          isAlive(agent.state),
        )
        const ids: AgentId[] = []
        const by = caller.kind === 'human' ? 'the human' : caller.agent.name
        for (const agent of doomed) {
          const change = {
            to: 'killed',
            source: caller.kind === 'human' ? 'human' : 'tool',
            actor: actorOf(caller),
            reason: why ?? `killed by ${by}`,
          } as const
          if ((await states.change(agent.id, change, tx)) !== undefined) ids.push(agent.id)
        }
        // After all of them: nobody who is about to end is told of others.
        for (const agent of doomed.filter(({ id }) => ids.includes(id))) {
          await deps.publisher.publish(
            {
              type: 'agent.killed',
              agentId: agent.id,
              actor: actorOf(caller),
              payload: { name: agent.name, by },
            },
            tx,
          )
        }
        return { killed: ids, doomed }
      })
      await Promise.all(doomed.map(endProgram))
      return { killed }
    },

    attach: async (address, inside) => {
      const agent = await find(address)
      const pane = await panes.find(agent)
      if (pane === undefined) {
        throw new ExomonadError(
          'PANE_GONE',
          `${agent.name} has no pane (${agent.stateReason ?? agent.state}). \`exomonad logs ${addressOf(agent)}\` shows what it last did.`,
          { agent: agent.id },
        )
      }
      const shown = agent.runtime === 'pane' ? multiplexer.show : undefined
      const argv =
        shown === undefined
          ? multiplexer.attachCommand(pane.paneId)
          : await shown(pane.paneId, inside)
      return {
        agent_id: agent.id,
        multiplexer: agent.runtime === 'pane' ? multiplexer.name : 'runner',
        pane: pane.paneId,
        argv: argv === undefined ? null : [...argv],
      }
    },

    screen: async (address, lines) => {
      const agent = await find(address)
      const pane = await panes.find(agent)
      if (pane !== undefined) {
        return {
          agent_id: agent.id,
          text: await multiplexer.capture(pane.paneId, { lines }),
          live: isAlive(agent.state),
        }
      }
      const kept = await files.readTranscript(agent.id)
      if (kept === null)
        throw new ExomonadError('PANE_GONE', `${agent.name} has no pane and left no transcript.`, {
          agent: agent.id,
        })
      return {
        agent_id: agent.id,
        text: kept.split('\n').slice(-Math.max(lines, 1)).join('\n'),
        live: false,
      }
    },
  }
}
