import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSqliteStore } from '../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../src/adapters/store/store.ts'
import type { Agent, StoredEvent } from '../../src/domain/records.ts'
import { configSchema, type Config } from '../../src/config/schema.ts'
import { createPoller, type Poller } from '../../src/pull-watch/poller.ts'
import type { FollowUp } from '../../src/core/pulls/merge/follow-up.ts'
import { createPublisher } from '../../src/delivery/publisher.ts'
import { createRenderer } from '../../src/delivery/render/render.ts'
import {
  asBranchName,
  asPaneId,
  newDeliveryId,
  type AgentId,
  type Recipient,
} from '../../src/domain/ids.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { makeAgent } from '../unit/core/make-agent.ts'
import { OWNER } from '../unit/pull-watch/pull.ts'
import { scriptedForge, type ScriptedForge } from './scripted-forge.ts'
import { virtualTime, type VirtualTime } from './virtual-time.ts'

/** That nothing checks there is said once of each repository that a forge of these tests shows. */
export const LACKS = 'forge.lacks'

export const ROOT = '00000000-0000-7000-8000-000000000001' as AgentId

/**
 * Test helper: a root `main` and its agent `main.auth` in a real store, a forge that says what it
 * is asked to, and time that passes on request.
 */
export interface PolledTree {
  readonly forge: ScriptedForge
  readonly time: VirtualTime
  readonly poller: Poller
  readonly store: Store
  config: Config
  /** Branches that were brought in here, and why the next one can’t be. */
  readonly brought: string[]
  notBrought: string | undefined
  /**
   * As after a restart of the daemon, with another forge or a store that is tampered with; not
   * started.
   */
  reopen(options?: { forge?: ScriptedForge; tamper?: (store: Store) => Store }): Promise<void>
  /** Lets that many seconds pass. */
  pass(seconds: number): Promise<void>
  addAgent(name: string, facts?: Partial<Agent>): Promise<void>
  /** All but deliveries and `LACKS`. */
  events(): Promise<StoredEvent[]>
  types(): Promise<string[]>
  /** What was sent to somebody, in words. */
  /** All that was sent to it, but that a pull request was opened, which comes with each. */
  delivered(recipient: Recipient): Promise<string[]>
  close(): Promise<void>
}

export async function polledTree(options: { kind?: 'local' | 'github' } = {}): Promise<PolledTree> {
  const folder = await mkdtemp(join(tmpdir(), 'exomonad-polled-'))
  const file = join(folder, 'store.db')
  const time = virtualTime()
  const log = silentLog()
  const shippedFolder = fileURLToPath(new URL('../../templates', import.meta.url))
  const renderer = createRenderer({
    shippedFolder,
    overrideFolder: () => Promise.resolve(null),
    log,
  })
  const open = async (forge: ScriptedForge, tamper: (store: Store) => Store = (store) => store) => {
    const store = await openSqliteStore({ file, log })
    const tampered = tamper(store)
    const publisher = createPublisher({
      store: tampered,
      renderer,
      clock: time.clock,
      log,
      newDeliveryId,
    })
    const followUp: FollowUp = async (pull, isElsewhere) => {
      if (!(await isElsewhere())) return { pull }
      brought.push(pull.base.branch)
      return { pull, localError: tree.notBrought }
    }
    const poller = createPoller({
      forge: forge.forge,
      store: tampered,
      publisher,
      config: () => config,
      clock: time.clock,
      log,
      timers: time.timers,
      followUp,
    })
    return { forge, store, poller }
  }
  const brought: string[] = []
  let config = configSchema.parse({})
  let opened = await open(scriptedForge(options.kind))
  const events = async (): Promise<StoredEvent[]> =>
    (await opened.store.events.list({})).filter(
      ({ type }) => !type.startsWith('delivery.') && type !== LACKS,
    )
  const tree: PolledTree = {
    time,
    brought,
    notBrought: undefined,
    get forge() {
      return opened.forge
    },
    get poller() {
      return opened.poller
    },
    get store() {
      return opened.store
    },
    get config() {
      return config
    },
    set config(changed) {
      config = changed
    },
    reopen: async ({ forge = opened.forge, tamper } = {}) => {
      await opened.poller.stop()
      await opened.store.close()
      opened = await open(forge, tamper)
    },
    pass: (seconds) => time.pass(seconds * 1000, () => opened.poller.poll([])),
    addAgent: (name, facts = {}) =>
      opened.store.agents.insert(
        makeAgent({
          ...{
            name,
            branch: asBranchName(name),
            parentId: ROOT,
            worktree: '/w',
            paneId: asPaneId('%1'),
            pid: 1,
            stateSource: 'hook',
            tokenHash: name,
          },
          ...facts,
        }),
      ),
    events,
    types: async () => (await events()).map(({ type }) => type),
    delivered: async (recipient) =>
      (await opened.store.outbox.list({ recipient }))
        .filter(({ reach, kind }) => reach !== 'log' && kind !== 'pr.opened' && kind !== LACKS)
        .map(({ text }) => text),
    close: async () => {
      await opened.poller.stop()
      await opened.store.close()
      await rm(folder, { recursive: true })
    },
  }
  await tree.addAgent('main', {
    id: ROOT,
    kind: 'root',
    parentId: null,
    depth: 0,
    baseBranch: null,
  })
  await tree.addAgent('main.auth', { id: OWNER })
  return tree
}
