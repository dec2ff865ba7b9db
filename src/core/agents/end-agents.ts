import { setTimeout as delay } from 'node:timers/promises'
import { ExomonadError } from '../../domain/errors.ts'
import type { AgentId } from '../../domain/ids.ts'
import type { Agent, JournalEntry } from '../../domain/records.ts'
import type { AgentControl } from './control-use-cases.ts'
import type { Caller } from '../../domain/caller.ts'
import type { Deps } from '../deps.ts'
import { actorOf, findAgent, requireAlive, requireBelow } from './directory.ts'
import type { EndPrograms } from './end-program.ts'
import { isAlive, isLasting, STOPPED } from '../../domain/lifecycle.ts'
import type { States } from './states.ts'
import { descendantsOf } from './tree.ts'
import { doneAgents } from '../tree/done.ts'

/** How long `down` waits for spawns that are under way: rounds, and milliseconds between them. */
const SPAWN_ROUNDS = 200
const SPAWN_WAIT = 50

/** Ends agents’ programs: of all for a while (`down`), of one and those below it for good. */
export function createEndAgents({
  store,
  publisher,
  states,
  endPrograms,
}: Pick<Deps, 'store' | 'publisher'> & {
  states: States
  endPrograms: EndPrograms
}): Pick<AgentControl, 'down' | 'kill' | 'killAll'> {
  const target = async (caller: Caller, address: string): Promise<Agent> => {
    const found = await findAgent(store.agents, address)
    if (found.kind === 'root')
      throw new ExomonadError(
        'NOT_ALLOWED',
        'The root can’t be killed. `exomonad down` ends its program.',
        { agent: found.id },
      )
    if (caller.kind === 'agent' && found.id === caller.agent.id) {
      throw new ExomonadError(
        'NOT_A_CHILD',
        'That is yourself: when you are done, end your turn. Only those above you can kill you.',
        { agent: found.id },
      )
    }
    return found
  }

  const kill = async (
    caller: Caller,
    addresses: readonly string[],
    { why, done = false }: { why?: string | undefined; done?: boolean },
  ): Promise<{ killed: AgentId[] }> => {
    const named = await Promise.all(addresses.map((address) => target(caller, address)))
    const { killed, doomed } = await store.transaction(async (tx) => {
      // Read here: a child that is spawned meanwhile is either seen, or finds its parent dead.
      const agents = await tx.agents.list()
      for (const one of named) {
        requireBelow(agents, caller, one, 'kill')
        requireAlive(agents.find((agent) => agent.id === one.id) ?? one, 'kill')
      }
      const over = done ? doneBelow(agents, caller, await doneAgents(tx, agents)) : []
      const targets = [...named, ...over]
      const doomed = [
        ...new Set(targets.flatMap(({ id }) => [...descendantsOf(agents, id).map(idOf), id])),
      ].flatMap((id) => agents.find((agent) => agent.id === id && isAlive(agent.state)) ?? [])
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
      // After all of them: nobody who is about to end is notified of others.
      for (const agent of doomed.filter(({ id }) => ids.includes(id))) {
        await publisher.publish(
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
    await endPrograms(doomed)
    return { killed }
  }

  /**
   * Of agents that take longer than `down` waits: nothing is done in them yet, and what goes on in
   * them would do so without a daemon.
   */
  const takeBackSpawns = async (): Promise<void> => {
    const late = (await store.agents.list({ live: true })).filter(isBeingSpawned)
    for (const { id } of late)
      await states.change(id, {
        to: 'killed',
        reason: STOPPED,
        source: 'human',
        actor: 'human',
        onlyIf: isBeingSpawned,
      })
    const isLate = ({ kind, data }: JournalEntry): boolean =>
      kind === 'spawn' && late.some(({ id }) => id === data['agentId'])
    // What a spawn has started it ends itself. Where that takes long, the next start does.
    for (let round = 0; round < SPAWN_ROUNDS; round++) {
      if (!(await store.journal.open()).some(isLate)) return
      await delay(SPAWN_WAIT)
    }
  }

  return {
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
        await endPrograms(running)
        if (running.length > 0) continue
        if (!live.some(isBeingSpawned)) return { stopped }
        await delay(SPAWN_WAIT)
      }
      await takeBackSpawns()
      return { stopped }
    },

    kill: (caller, address, why) => kill(caller, [address], { why }),
    killAll: async (caller, addresses, { done }) => {
      if (addresses.length === 0 && !done)
        throw new ExomonadError('INVALID_ARG', 'Name the agents to kill, or give done.')
      return kill(caller, addresses, { done })
    },
  }
}

const isBeingSpawned = ({ state }: Agent): boolean => state === 'spawning'

const idOf = ({ id }: Agent): AgentId => id

/** Who is done, and has nobody below who isn’t: of the caller’s own, or of all. */
function doneBelow(
  agents: readonly Agent[],
  caller: Caller,
  done: ReadonlySet<AgentId>,
): readonly Agent[] {
  const own = caller.kind === 'human' ? agents : descendantsOf(agents, caller.agent.id)
  const isOver = (agent: Agent): boolean => !isAlive(agent.state) || done.has(agent.id)
  return own.filter(
    (agent) =>
      agent.kind !== 'root' &&
      isAlive(agent.state) &&
      done.has(agent.id) &&
      descendantsOf(agents, agent.id).every(isOver),
  )
}
