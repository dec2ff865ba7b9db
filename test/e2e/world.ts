import { delimiter, dirname } from 'node:path'
import process from 'node:process'
import { startExomonad, type Exomonad } from '../helpers/daemon.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { plays, type Step } from '../fixtures/model-server/script.ts'
import { startModelServer, type ModelServer, type Seen } from '../fixtures/model-server/server.ts'
import { repositoryHash } from '../../src/runtime/paths.ts'
import { handsOn, type Key } from './hands.ts'
import { AGENT_CLIS_BIN, type RealCli } from './real-cli.ts'
import { LIMIT } from './limits.ts'

/**
 * Real agent CLIs in real tmux or Zellij, against a mock model, each world with a repository and
 * home of its own.
 */
export interface World {
  readonly tree: Exomonad
  readonly model: ModelServer
  /** Runs tmux on the tree’s own server. */
  tmux(...args: string[]): Promise<string>
  /** Types into an agent’s terminal as a person would, without Enter. */
  type(agent: string, text: string): Promise<void>
  key(agent: string, key: Key): Promise<void>
  screen(agent: string): Promise<string>
  /** Takes its terminal away, as a person would. */
  close(agent: string): Promise<void>
  /**
   * Spawns a worker whose model follows these steps. Its task holds `marker`, for looking its
   * conversation up, behind `words`.
   */
  worker(
    name: string,
    steps: readonly Step[],
    options?: { agent?: string; words?: string },
  ): Promise<{ marker: string; agentId: string; worktree: string }>
  /**
   * One that has nothing to do but read messages, for all that ask for it: each start of a real
   * agent CLI costs up to eight seconds of the processor. Another where the one before does not
   * idle. `first`: what its model does at its start; `words`: what its task begins with; `agent`:
   * which CLI it is, where that is not the one of the role.
   */
  stays(
    first?: readonly Step[],
    words?: string,
    agent?: string,
  ): Promise<{ name: string; marker: string; agentId: string; worktree: string }>
  /**
   * Has the agent’s model follow these steps after a message. Returns a word that stands in the
   * message.
   */
  send(agent: string, steps: readonly Step[], text?: string): Promise<string>
  /** Waits until the agent is in this state. */
  state(agent: string, state: string, options?: { limit?: number }): Promise<any>
  /** The latest turn in which the agent’s model was asked. */
  latest(marker: string): Seen | undefined
  /**
   * Ends all agents but the root and those that stay: each of them takes memory, and some a core
   * now and then.
   */
  clear(): Promise<void>
  /** Waits until nothing is undelivered or unconfirmed for it. */
  delivered(agent: string): Promise<void>
  stop(): Promise<void>
}

export async function startWorld(
  clis: readonly RealCli[],
  options: {
    tl: string
    dev: string
    runtime?: 'acp'
    multiplexer?: 'tmux' | 'zellij'
    config?: string | ((model: ModelServer) => string)
  },
): Promise<World> {
  const protocols = [
    ...new Map(
      clis.flatMap((cli) => cli.protocols).map((protocol) => [protocol.name, protocol]),
    ).values(),
  ]
  const model = await startModelServer(protocols)
  const configured =
    typeof options.config === 'function' ? options.config(model) : (options.config ?? '')
  const config = [
    ...clis.map((cli) => `[agents.${cli.name}]\n${cli.config(model)}`),
    configured,
  ].join('\n')
  const env = Object.assign({}, ...clis.map((cli) => cli.env(model))) as Record<string, string>
  const { multiplexer = 'tmux' } = options
  const tree = await startExomonad({
    multiplexer,
    roles: {
      tl: options.tl,
      dev: options.dev,
      ...(options.runtime === undefined ? {} : { runtime: options.runtime }),
    },
    config,
    env: {
      ...env,
      PATH: [AGENT_CLIS_BIN, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter),
    },
    prepareHome: (home) => clis.forEach((cli) => cli.prepareHome?.(home, model)),
    initArgs: ['--prepare-agents'],
  }).catch(async (error: unknown) => {
    await model.stop()
    throw error
  })
  const commonDir = await tree.repository.git(
    'rev-parse',
    '--path-format=absolute',
    '--git-common-dir',
  )
  const hands = handsOn(tree, repositoryHash(commonDir))
  let sends = 0
  /** By the CLI that was asked for. */
  const staying = new Map<string | undefined, Awaited<ReturnType<World['stays']>>>()

  const paneOf = async (agent: string): Promise<string> => {
    const pane: unknown = (await tree.agent(agent))?.pane
    if (typeof pane !== 'string') throw new Error(`${agent} has no pane`)
    return pane
  }
  const send = async (
    agent: string,
    steps: readonly Step[],
    text = 'A message.',
  ): Promise<string> => {
    const name = `sent-${++sends}`
    model.script(name, ...steps)
    await tree.call('send', { to: agent, message: `${text} word-${name} ${plays(name)}` })
    return `word-${name}`
  }

  const worker: World['worker'] = async (name, steps, { agent, words = '' } = {}) => {
    const marker = `task-of-${name}`
    model.script(name, ...steps)
    const prompt = `${words}This is ${marker}. ${plays(name)}`
    const { spawned, errors } = await tree.call('spawn_workers', {
      specs: [{ name, prompt, ...(agent === undefined ? {} : { agent }) }],
    })
    if (errors.length > 0) throw new Error(JSON.stringify(errors))
    return { marker, agentId: spawned[0].agent_id, worktree: spawned[0].worktree }
  }
  const state: World['state'] = (agent, expected, { limit = LIMIT } = {}) =>
    waitFor(
      `${agent} to be ${expected}`,
      async () => {
        const node = await tree.agent(agent)
        if (node?.state === expected) return node
        throw new Error(`${node?.state}: ${node?.state_reason} (${node?.state_source})`)
      },
      { limit, every: 200 },
    )

  return {
    tree,
    model,
    tmux: hands.run,
    type: async (agent, text) => hands.type(await paneOf(agent), text),
    key: async (agent, key) => hands.key(await paneOf(agent), key),
    screen: async (agent) => hands.screen(await paneOf(agent)),
    close: async (agent) => hands.close(await paneOf(agent)),
    worker,
    stays: async (first = [{ say: 'Ready.' }], words = '', agent) => {
      const before = staying.get(agent)
      if (before !== undefined) {
        const { name } = before
        const rests = async () => {
          const { state: now, undelivered } = await tree.agent(name)
          return now === 'idle' && undelivered === 0
        }
        if (await waitFor(`${name} to idle`, rests, { limit: 20_000 }).catch(() => false))
          return before
        if (isAlive(await tree.agent(name))) await tree.call('kill', { agent: name })
      }
      const name = `stays-${++sends}`
      const started = await worker(name, first, {
        words,
        ...(agent === undefined ? {} : { agent }),
      })
      const now = { name, ...started }
      staying.set(agent, now)
      await state(name, 'idle')
      return now
    },
    send,
    state,
    latest: (marker) =>
      model.seen.findLast((turn) =>
        turn.conversation.entries.some((entry) => entry.text.includes(marker)),
      ),
    clear: async () => {
      const { root } = await tree.tree()
      const kept = new Set([...staying.values()].map(({ name }) => name))
      const over = root.children.filter((node: Node) => isAlive(node) && !kept.has(node.name))
      await Promise.all(over.map(({ id }: Node) => tree.call('kill', { agent: id })))
    },
    delivered: async (agent) => {
      await waitFor(
        `everything to be delivered to ${agent}`,
        async () => {
          const node = await tree.agent(agent)
          const events = await tree.events()
          const settled = new Set(
            events
              .filter(({ type }) => type === 'delivery.acked' || type === 'delivery.failed')
              .map(({ payload }) => payload.delivery_id),
          )
          const sent = events.filter(
            ({ type, agent_id: id, agentId }) =>
              type === 'delivery.sent' && (id ?? agentId) === node.id,
          )
          return (
            node.undelivered === 0 &&
            node.undecided === 0 &&
            sent.every(({ payload }) => settled.has(payload.delivery_id))
          )
        },
        { limit: LIMIT, every: 300 },
      )
    },
    stop: async () => {
      await tree.stop()
      await model.stop()
    },
  }
}

interface Node {
  readonly id: string
  readonly name: string
  readonly state: string
}

const isAlive = ({ state }: Pick<Node, 'state'>): boolean =>
  !['completed', 'failed', 'killed'].includes(state)
