import { EVENTS } from '../../../src/events/event.ts'
import { createHash } from 'node:crypto'
import type { EventStore } from '../../../src/adapters/store/store.ts'
import type { Agent, StoredEvent } from '../../../src/domain/records.ts'
import type { Core } from '../../../src/core/core.ts'
import { newAgentDefaults } from '../../../src/core/spawn/new-agent.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import type { AgentId, BranchName } from '../../../src/domain/ids.ts'

/**
 * Test double of core at its outermost interface: a fixed tree of agents, and whatever verbs a test
 * scripts.
 */

const id = (digit: number): AgentId =>
  `0190000${digit}-0000-7000-8000-00000000000${digit}` as AgentId

export const hashOf = (token: string): string => createHash('sha256').update(token).digest('hex')

export function agent(digit: number, name: string, fields: Partial<Agent> = {}): Agent {
  return {
    ...newAgentDefaults(0),
    id: id(digit),
    name,
    kind: 'worker',
    runtime: 'pane',
    role: 'dev',
    agentCli: 'script',
    parentId: null,
    depth: 0,
    branch: name as BranchName,
    baseBranch: null,
    forkPoint: null,
    worktree: '/nowhere',
    ownsWorktree: true,
    adopted: false,
    task: '',
    state: 'running',
    tokenHash: hashOf(`token-of-${name}`),
    ...fields,
  }
}

/** root → lead (tl) → dev, and root → other (dev), auditor (a role of its own), dead (killed). */
export const AGENTS = {
  root: agent(1, 'root', { kind: 'root', role: 'tl' }),
  lead: agent(2, 'lead', { kind: 'subtree', role: 'tl', parentId: id(1), depth: 1 }),
  dev: agent(3, 'dev', { parentId: id(2), depth: 2 }),
  other: agent(4, 'other', { parentId: id(1), depth: 1 }),
  auditor: agent(5, 'auditor', { role: 'auditor', parentId: id(1), depth: 1 }),
  dead: agent(6, 'dead', { parentId: id(1), depth: 1, state: 'killed' }),
} as const

export const OWNER_TOKEN = 'owner-token'
export const tokenOf = (name: keyof typeof AGENTS): string => `token-of-${name}`

type Parts = { [Part in keyof Core]?: Partial<Core[Part]> }

/** Core with the tree above; verbs that the test doesn’t script throw. */
export function scriptedCore(script: Parts = {}): Core {
  const all = Object.values(AGENTS)
  const directory: Core['directory'] = {
    find: async (address) => {
      const found = all.find((entry) => entry.id === address || entry.name === address)
      if (found === undefined)
        throw new ExomonadError('AGENT_NOT_FOUND', `Agent not found: ${address}.`)
      return found
    },
    root: async () => AGENTS.root,
    byTokenHash: async (hash) => all.find((entry) => entry.tokenHash === hash),
    subtree: async (id) => {
      const below = all.filter(({ parentId }) => parentId === id)
      const deeper = await Promise.all(below.map((one) => directory.subtree(one.id)))
      return [id, ...deeper.flat()]
    },
    isDescendant: async (one, ancestor) => {
      for (let up: Agent | undefined = one; up?.parentId != null;) {
        const parentId: AgentId = up.parentId
        if (parentId === ancestor) return true
        up = all.find((entry) => entry.id === parentId)
      }
      return false
    },
  }
  const rest = new Proxy(
    {},
    {
      get: (_target, part: string) =>
        new Proxy((script as Record<string, object>)[part] ?? {}, {
          get: (verbs: object, verb: string) => {
            const scripted = (verbs as Record<string, unknown>)[verb]
            if (scripted === undefined)
              throw new Error(`the test does not script core.${part}.${verb}`)
            return scripted
          },
        }),
    },
  ) as Core
  return new Proxy(rest, {
    get: (target, part) =>
      part === 'directory' ? { ...directory, ...script.directory } : Reflect.get(target, part),
  })
}

export interface ScriptedEvents {
  readonly types: readonly string[]
  readonly list: EventStore['list']
  readonly lastSeq: EventStore['lastSeq']
  /** As pruning does: what there was still counts. */
  prune(): void
  readonly onEvent: (listener: (event: StoredEvent) => void) => () => void
  append(fields?: Partial<StoredEvent>): StoredEvent
  readonly listeners: ReadonlySet<(event: StoredEvent) => void>
}

/**
 * An event log in memory with the semantics of the store’s. `delay` runs before each read returns.
 */
export function scriptedEvents(delay: () => Promise<void> = async () => {}): ScriptedEvents {
  const log: StoredEvent[] = []
  const listeners = new Set<(event: StoredEvent) => void>()
  let last = 0
  return {
    lastSeq: async () => last,
    prune: () => void log.splice(0),
    listeners,
    types: Object.keys(EVENTS),
    list: async (query) => {
      const found = log.filter(
        (event) =>
          event.seq > (query.after ?? 0) &&
          event.seq < (query.before ?? Infinity) &&
          event.at >= (query.since ?? 0) &&
          event.at < (query.until ?? Infinity) &&
          (query.agentIds?.some((id) => id === event.agentId) ?? true) &&
          (query.types === undefined || query.types.includes(event.type)) &&
          (query.agentId === undefined || event.agentId === query.agentId),
      )
      await delay()
      if (query.last !== undefined) return query.last === 0 ? [] : found.slice(-query.last)
      return found.slice(0, query.limit)
    },
    onEvent: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    append: (fields = {}) => {
      const event: StoredEvent = {
        seq: last + 1,
        type: 'note',
        at: log.length,
        agentId: null,
        actor: 'daemon',
        why: null,
        dedupeKey: null,
        payload: {},
        ...fields,
      }
      last = event.seq
      log.push(event)
      for (const listener of listeners) listener(event)
      return event
    },
  }
}
