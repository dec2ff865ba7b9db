import type { LiveAgent } from '../../adapters/agent-cli/agent-cli.ts'
import type { Agent, Usage } from '../../domain/records.ts'
import type { AgentId } from '../../domain/ids.ts'
import { tokensOf } from './budgets.ts'
import { cliNow } from '../agents/programs.ts'
import type { Deps } from '../deps.ts'
import { isAlive } from '../../domain/lifecycle.ts'
import { createPaced } from '../once-per-interval.ts'
import { within } from '../../domain/time-limit.ts'

/** What agents’ conversations use up, as their programs report it, kept in their records. */
export interface UsageReading {
  /**
   * An agent did something: what its conversation used is read soon, its budgets are looked at.
   * Returns at once and never throws; calls in quick succession become one reading, the last of
   * them always gets one.
   */
  refresh(id: AgentId): void
  /** Reads what an agent used at once: it is about to end. */
  readNow(id: AgentId): Promise<void>
  /** Reads those with events since they were last read. */
  refreshChanged(): Promise<void>
  /** Resolves when no reading is under way or due; none begins afterwards. */
  stop(): Promise<void>
}

/** Between readings of one agent, milliseconds: a conversation is a file that grows. */
const INTERVAL = 3_000
/**
 * A long conversation takes long to read; that must not become what the daemon does all the time.
 */
const SHARE = 0.1
/** A program that doesn’t answer is asked again the next time, milliseconds. */
const TIMEOUT = 10_000

/** The key under which it stands that an agent’s use was read after its end, and when. */
const LAST_READ = 'usage-last:'

export function createUsage({
  store,
  settings,
  clock,
  log,
  liveOf,
  checkBudgets,
  interval = INTERVAL,
}: Pick<Deps, 'store' | 'settings' | 'clock' | 'log'> & {
  liveOf: (agent: Agent) => Promise<LiveAgent>
  checkBudgets: () => Promise<void>
  interval?: number
}): UsageReading {
  const readAt = new Map<AgentId, number>()
  /** Of the dead, those whose last use the daemon before did not come to read. */
  let isUnread: ((agent: Agent) => boolean) | undefined

  const findUnread = async (agents: readonly Agent[]): Promise<(agent: Agent) => boolean> => {
    const last = await store.snapshots.list(LAST_READ)
    const kept = new Set(agents.filter(({ cleanedAt }) => cleanedAt === null).map(keyOf))
    for (const key of last.keys()) if (!kept.has(key)) await store.snapshots.remove(key)
    return (agent) =>
      agent.endedAt !== null &&
      kept.has(keyOf(agent)) &&
      agent.endedAt > Number(last.get(keyOf(agent))?.['at'] ?? 0)
  }

  const read = async (id: AgentId): Promise<void> => {
    const agent = await store.agents.get(id)
    if (agent === undefined) return
    const at = clock()
    readAt.set(id, at)
    const cli = await cliNow(settings, agent)
    if (cli?.usage !== undefined) {
      const live = await liveOf(agent)
      const found = await within(TIMEOUT, cli.usage(live))
      if (found !== null) await record(id, live.session?.id ?? agent.sessionId ?? '', found)
    }
    await checkBudgets()
    if (!isAlive(agent.state) && agent.cleanedAt === null)
      await store.snapshots.put(keyOf(agent), { at })
  }

  /**
   * An agent may have had several sessions (started again, cleared): what it used is the sum of
   * them.
   */
  const record = (id: AgentId, session: string, found: Usage): Promise<void> =>
    store.transaction(async (tx) => {
      const key = `usage:${id}`
      const known = ((await tx.snapshots.get(key)) ?? {}) as Readonly<Record<string, Usage>>
      const sessions = withSession(known, session, found)
      const usage = sumOf(Object.values(sessions))
      await tx.snapshots.put(key, { ...sessions })
      const before = (await tx.agents.get(id))?.usage ?? null
      for (const use of usedSince(before, usage)) {
        await tx.usage.add({ ...use, agentId: id, hour: Math.floor(clock() / HOUR) * HOUR })
      }
      await tx.agents.update(id, { usage, tokens: tokensOf(usage) })
    })

  const paced = createPaced<AgentId>({
    interval,
    share: SHARE,
    run: read,
    failed: (thrown, id) =>
      log.warn(
        { err: thrown, agent: id },
        'what an agent used could not be read; it is tried again when it does something',
      ),
  })

  return {
    refresh: paced.request,
    readNow: read,
    refreshChanged: async () => {
      const agents = await store.agents.list()
      const isLeft = (isUnread ??= await findUnread(agents))
      const due = agents.filter((agent) => {
        const read = readAt.get(agent.id)
        // Of the dead only those that ended since they were read: an old tree is not read again
        // with every start.
        return read === undefined
          ? agent.agentCli !== null && (isAlive(agent.state) || isLeft(agent))
          : Math.max(agent.lastSeenAt, agent.endedAt ?? 0) >= read
      })
      for (const agent of due) paced.request(agent.id)
    },
    stop: paced.stop,
  }
}

const HOUR = 3_600_000

/**
 * What was used between two readings, by model. Less where a program corrected itself, so that hours
 * add up to what the agent’s row has.
 */
export function usedSince(
  before: Usage | null,
  now: Usage,
): ({ readonly model: string } & Usage['models'][string])[] {
  const models = new Set([...Object.keys(before?.models ?? {}), ...Object.keys(now.models)])
  return [...models].flatMap((model) => {
    const { input, output, cacheRead, cacheWrite } = now.models[model] ?? NOTHING
    const so = before?.models[model] ?? NOTHING
    const used = {
      input: input - so.input,
      output: output - so.output,
      cacheRead: cacheRead - so.cacheRead,
      cacheWrite: cacheWrite - so.cacheWrite,
    }
    return Object.values(used).every((tokens) => tokens === 0) ? [] : [{ model, ...used }]
  })
}

const keyOf = ({ id }: Agent): string => `${LAST_READ}${id}`

const NOTHING = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }

/**
 * What a session used never shrinks, also where the program forgets. What was read before a session
 * had an id is part of the first that has one.
 */
export function withSession(
  known: Readonly<Record<string, Usage>>,
  session: string,
  found: Usage,
): Record<string, Usage> {
  const { '': unnamed, ...named } = known
  const rest: Record<string, Usage> =
    unnamed === undefined || session !== '' ? named : { ...named, '': unnamed }
  const before = rest[session]
  return { ...rest, [session]: before === undefined ? found : merge([before, found], Math.max) }
}

export const sumOf = (usages: readonly Usage[]): Usage => merge(usages, (one, other) => one + other)

function merge(usages: readonly Usage[], with_: (one: number, other: number) => number): Usage {
  const models: Record<string, Usage['models'][string]> = {}
  for (const usage of usages) {
    for (const [model, tokens] of Object.entries(usage.models)) {
      const so = models[model] ?? NOTHING
      models[model] = {
        input: with_(so.input, tokens.input),
        output: with_(so.output, tokens.output),
        cacheRead: with_(so.cacheRead, tokens.cacheRead),
        cacheWrite: with_(so.cacheWrite, tokens.cacheWrite),
      }
    }
  }
  return { models }
}
