import type { Pane } from '../../adapters/terminals/holder.ts'
import type { Caller } from '../../domain/caller.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { isInCall } from '../../domain/lifecycle.ts'
import type { Agent } from '../../domain/records.ts'
import type { Deps } from '../deps.ts'
import type { OwnPanes } from '../panes/panes.ts'
import type { AgentControl } from '../agents/control-use-cases.ts'
import { actorOf, findAgent, requireAlive, requireBelow } from '../agents/directory.ts'
import type { Observing } from '../agents/observing.ts'
import { addressOf } from '../agents/tree.ts'

/** Programs report no end of a turn that Escape ended: they are looked at, milliseconds later. */
const LOOK_AFTER = 1_300

/** Presses Escape for a person or a lead; of a session without a terminal its turn is cancelled. */
export function createInterrupt({
  store,
  multiplexer,
  publisher,
  settings,
  clock,
  log,
  panes,
  observing,
}: Pick<Deps, 'store' | 'multiplexer' | 'publisher' | 'settings' | 'clock' | 'log'> & {
  panes: OwnPanes
  observing: Pick<Observing, 'look'>
}): AgentControl['interrupt'] {
  const lookSoon = ({ id }: Agent): void => {
    const look = async (): Promise<void> => {
      const agent = await store.agents.get(id)
      if (agent !== undefined) await observing.look(agent, await settings.snapshot())
    }
    setTimeout(() => {
      look().catch((error: unknown) =>
        log.debug({ err: error, agent: id }, 'an interrupted agent could not be looked at'),
      )
    }, LOOK_AFTER).unref()
  }

  return async (caller, address) => {
    const agent = await findAgent(store.agents, address)
    requireOther(caller, agent)
    requireBelow(await store.agents.list(), caller, agent, 'interrupt')
    requireAlive(agent, 'interrupt')
    if (agent.kind === 'process')
      throw new ExomonadError(
        'INVALID_ARG',
        `${agent.name} is a process, which has no turns. \`exomonad kill ${addressOf(agent)}\` ends it.`,
        { field: 'agent', agent: agent.id },
      )
    if (agent.state === 'idle') return { agent_id: agent.id, interrupted: false }
    requireTurn(agent)
    const pane = await panes.find(agent)
    if (pane === undefined || pane.dead) throw gone(agent)
    const { config } = await settings.snapshot()
    const inTheWay = wayOf(pane, clock(), config.delivery.human_idle * 1000)
    if (inTheWay !== undefined) throw busy(agent, inTheWay)
    const pressed = await multiplexer.pressEscape(pane.paneId)
    if (pressed.kind === 'busy') throw busy(agent, pressed.reason)
    if (pressed.kind !== 'typed') throw gone(agent)
    await publisher.publish({
      type: 'agent.interrupted',
      agentId: agent.id,
      actor: actorOf(caller),
      payload: {
        name: agent.name,
        by: caller.kind === 'human' ? 'the human' : caller.agent.name,
      },
    })
    lookSoon(agent)
    return { agent_id: agent.id, interrupted: true }
  }
}

function requireOther(caller: Caller, agent: Agent): void {
  if (caller.kind === 'agent' && caller.agent.id === agent.id)
    throw new ExomonadError('NOT_A_CHILD', 'That is yourself: end your turn instead.', {
      agent: agent.id,
    })
}

/** What Escape means anywhere else is not the end of a turn. */
function requireTurn(agent: Agent): void {
  if (agent.state === 'spawning') throw busy(agent, 'it is being started')
  if (agent.state === 'waiting' && !isInCall(agent))
    throw busy(
      agent,
      `it waits for a person (${agent.stateReason ?? 'at a question'}), and Escape would answer that: approve or deny it, or attach`,
    )
}

/** As where messages are typed: neither into what a person writes, nor into another program. */
function wayOf(pane: Pane, now: number, humanIdle: number): string | undefined {
  if (pane.inMode) return 'its terminal is in copy mode'
  if (pane.foreground === false) return 'another program has its terminal'
  return pane.humanActiveAt !== null && now - pane.humanActiveAt < humanIdle
    ? 'a person is typing there'
    : undefined
}

const busy = (agent: Agent, why: string): ExomonadError =>
  new ExomonadError('NOT_AVAILABLE', `${agent.name} was not interrupted: ${why}.`, {
    agent: agent.id,
  })

const gone = (agent: Agent): ExomonadError =>
  new ExomonadError(
    'PANE_GONE',
    `${agent.name} was not interrupted: its terminal is gone. \`exomonad resume ${addressOf(agent)}\` starts it again.`,
    { agent: agent.id },
  )
