import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { TreeNode } from '../../core/agents/tree-document.ts'
import type { Environment } from '../../config/environment.ts'
import { readOwnerToken, userStateFolder } from '../../config/user-state.ts'
import { ExomonadError } from '../../domain/errors.ts'
import { createClient, withTypedCalls, type Client } from '../client.ts'
import { ensureDaemon } from './daemon/daemon-process.ts'
import type { Host } from './host.ts'
import { isInAgentWorktree, locateRepository, type LocatedRepository } from './locate.ts'
import { neverTheOwner, withRefusalsExplained } from './refused-token.ts'
import { KEYED } from './tool-specs.ts'

export interface ConnectDeps {
  readonly cwd: string
  readonly environment: Environment
  readonly host: Host
  readonly as: string | undefined
  /** Start the daemon for the human where it isn’t running. Agents never start it. */
  readonly start: boolean
}

/**
 * A client with the caller’s own token: the agent’s in an agent, the owner’s for the human.
 * NOT_ALLOWED where an agent has none.
 */
export async function connectToDaemon(deps: ConnectDeps): Promise<Client> {
  return (await openAccess(deps)).client
}

export interface Access {
  readonly socket: string
  readonly token: string
}

/**
 * What a connection of one’s own needs, by the same rules; the human’s daemon runs when this
 * returns.
 */
export async function findAccess(deps: ConnectDeps): Promise<Access> {
  const { client, isOwner, ...access } = await openAccess(deps)
  if (isOwner) await client.get('/healthz')
  return access
}

/** The human’s clients: one for each agent to act for, over one access. */
export interface OwnerClients {
  /** `start`: its calls start the daemon where it isn’t running. */
  client(options?: { as?: string | undefined; start?: boolean }): Client
}

/** NOT_ALLOWED in an agent or its worktree. The daemon runs when this returns. */
export async function openOwnerClients(
  deps: Omit<ConnectDeps, 'as' | 'start'>,
): Promise<OwnerClients> {
  const located = await locateRepository(deps.cwd, deps.environment, deps.host)
  await assertHuman(deps.cwd, deps.environment, located)
  const { socket, token } = await findAccess({ ...deps, as: undefined, start: true })
  return {
    client: ({ as, start = true } = {}) => {
      const client = withRefusalsExplained(createClient({ socket, token, as }), {
        socket,
        folder: userStateFolder(deps.environment),
      })
      return start ? startingClient(client, located, deps.host) : client
    },
  }
}

async function openAccess(
  deps: ConnectDeps,
): Promise<Access & { client: Client; isOwner: boolean }> {
  const { environment } = deps
  const agentToken = await readAgentToken(environment)
  if (agentToken !== null) {
    const socket =
      environment.socket ?? (await locateRepository(deps.cwd, environment, deps.host)).file.socket
    return {
      socket,
      token: agentToken,
      isOwner: false,
      client: keyedClient(neverTheOwner(createClient({ socket, token: agentToken, as: deps.as }))),
    }
  }
  if (environment.agentId !== null) throw withoutToken('EXOMONAD_AGENT_ID is set')
  const located = await locateRepository(deps.cwd, environment, deps.host)
  if (await isInAgentWorktree(deps.cwd, located.paths))
    throw withoutToken(`${deps.cwd} is an agent’s worktree`)
  const token = await readOwnerToken(environment, located.paths.commonDir)
  if (token === null) {
    const folder = userStateFolder(environment)
    throw new ExomonadError(
      'UNAUTHORIZED',
      `Your owner’s token for this repository is not in ${folder}. Where XDG_STATE_HOME or HOME was another when you ran \`exomonad init\`, set it to that; where the token is lost, \`exomonad init\` makes a new one, then \`exomonad daemon stop\`.`,
      { folder },
    )
  }
  const { socket } = located.file
  const folder = userStateFolder(environment)
  const client = withRefusalsExplained(createClient({ socket, token, as: deps.as }), {
    socket,
    folder,
  })
  const owner = deps.start ? startingClient(client, located, deps.host) : client
  // Whoever acts for an agent asks this as themselves: that agent may see no tree, or have ended.
  const asked =
    deps.as === undefined
      ? owner
      : withRefusalsExplained(createClient({ socket, token }), { socket, folder })
  await refuseAdoptedWorktree(located, asked)
  return { socket, token, isOwner: true, client: owner }
}

/** Where the human alone may act: throws NOT_ALLOWED in an agent or its worktree. */
export async function assertHuman(
  cwd: string,
  environment: Environment,
  located: LocatedRepository | null,
): Promise<void> {
  if (environment.agentId !== null || environment.token !== null) {
    throw new ExomonadError(
      'NOT_ALLOWED',
      'This is for the human: agents can’t do it. Ask your parent with the question tool.',
    )
  }
  if (located !== null && (await isInAgentWorktree(cwd, located.paths))) {
    throw new ExomonadError(
      'NOT_ALLOWED',
      `${cwd} is an agent’s worktree. Run this from ${located.file.rootWorktree}.`,
    )
  }
}

/**
 * The agent’s own token, from its environment or the file that this names; null outside of agents.
 */
export async function readAgentToken(environment: Environment): Promise<string | null> {
  if (environment.token !== null) return environment.token
  if (environment.authFile === null) return null
  const text = await readFile(environment.authFile, 'utf8').catch(() => '')
  return text.trim() === '' ? null : text.trim()
}

const withoutToken = (why: string): ExomonadError =>
  new ExomonadError(
    'NOT_ALLOWED',
    `No token: ${why}, but neither EXOMONAD_TOKEN nor EXOMONAD_AUTH_FILE gives one. Agents never act as the owner; run this from outside agents’ worktrees to act as yourself.`,
  )

/**
 * An adopted worktree can be anywhere, and only the tree knows it. Costs a request in linked
 * worktrees other than the root’s.
 */
async function refuseAdoptedWorktree(located: LocatedRepository, client: Client): Promise<void> {
  const { worktree, file } = located
  if (worktree === null || worktree === file.rootWorktree || worktree === file.home) return
  const { root } = await client.call('tree', {})
  const owner = findByWorktree(root, worktree)
  if (owner !== undefined && owner.kind !== 'root')
    throw withoutToken(`${worktree} is the worktree of agent ${owner.name}`)
}

function findByWorktree(node: TreeNode, worktree: string): TreeNode | undefined {
  if (node.worktree === worktree) return node
  for (const child of node.children) {
    const found = findByWorktree(child, worktree)
    if (found !== undefined) return found
  }
  return undefined
}

/** The client with every exchange made by way of a function. */
const withEach = (
  client: Client,
  around: <Result>(call: () => Promise<Result>) => Promise<Result>,
): Client =>
  withTypedCalls({
    callTool: (name, input, options) => around(() => client.callTool(name, input, options)),
    get: (path, options) => around(() => client.get(path, options)),
    hook: (event, body, options) => around(() => client.hook(event, body, options)),
    async *events(query) {
      await around(() => client.get('/healthz'))
      yield* client.events(query)
    },
  })

/** How long the daemon may be away after a call was cut off. Milliseconds. */
const AWAY = 60_000
const TRY_EVERY = 250

/**
 * A call of these that the daemon took and did not answer, because it was killed, is asked for
 * again under its key: it is done once.
 */
const keyedClient = (client: Client): Client =>
  withTypedCalls({
    ...client,
    callTool: async (name, input, options = {}) => {
      if (!KEYED.has(name)) return client.callTool(name, input, options)
      const key = options.key ?? randomUUID()
      let cutAt: number | undefined
      for (;;) {
        try {
          return await client.callTool(name, input, { ...options, key })
        } catch (error) {
          if (
            !(error instanceof ExomonadError) ||
            error.code !== 'DAEMON_UNAVAILABLE' ||
            options.signal?.aborted === true
          )
            throw error
          if (error.facts['connected'] === true) cutAt ??= Date.now()
          if (cutAt === undefined || Date.now() - cutAt > AWAY) throw error
          await new Promise((resolve) => setTimeout(resolve, TRY_EVERY))
        }
      }
    },
  })

/**
 * Starts the daemon when nobody answered, and tries again; a call that was taken is never repeated.
 */
function startingClient(client: Client, located: LocatedRepository, host: Host): Client {
  const retried = async <Result>(call: () => Promise<Result>): Promise<Result> => {
    try {
      return await call()
    } catch (error) {
      if (!wasNotTaken(error)) throw error
      await ensureDaemon({ paths: located.paths, socket: located.file.socket, host })
      return call()
    }
  }
  return keyedClient(withEach(client, retried))
}

const wasNotTaken = (error: unknown): boolean =>
  error instanceof ExomonadError &&
  error.code === 'DAEMON_UNAVAILABLE' &&
  error.facts['connected'] === false
