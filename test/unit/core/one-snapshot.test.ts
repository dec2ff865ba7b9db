import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentCli, LaunchRequest } from '../../../src/adapters/agent-cli/agent-cli.ts'
import type { OpenPane } from '../../../src/adapters/terminals/holder.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import { configSchema, type Config } from '../../../src/config/schema.ts'
import { createStates } from '../../../src/core/agents/states.ts'
import type { Settings } from '../../../src/core/deps.ts'
import { createApprovals } from '../../../src/core/questions/approvals.ts'
import { createAdmission } from '../../../src/core/spawn/admission.ts'
import { createLauncher } from '../../../src/core/spawn/launch.ts'
import { createSpawning } from '../../../src/core/spawn/spawn.ts'
import { createSpawnStart } from '../../../src/core/spawn/start.ts'
import { createHooks } from '../../../src/core/turns/hooks.ts'
import { createProgramHooks } from '../../../src/core/turns/program-hooks.ts'
import { createStopChain } from '../../../src/core/turns/stop-chain.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { asBranchName, asPaneId, newDeliveryId, type Sha } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { createTextGate } from '../../../src/sanitize/text-gate.ts'
import { mailFolder, openMailWorld } from '../../helpers/mail-world.ts'
import { makeAgent } from './make-agent.ts'

/**
 * The configuration is another one each time that it is taken, as if somebody edited it all the
 * while. Each says in all that it has which one it is.
 */
function edited(more: (version: number) => Record<string, unknown> = () => ({})) {
  let version = 0
  const used: string[] = []
  const cli = (of: number, name: string): AgentCli =>
    ({
      name,
      adapter: 'command',
      acks: false,
      passes: [],
      inert: (text: string) => text,
      locate: async () => ({ kind: 'found', path: `/bin/${name}` }),
      plan: async ({ permissions }: LaunchRequest) => {
        used.push(`plan ${of}: ${permissions.allow.join()}`)
        return {
          ...{ argv: [name], env: {}, files: [], session: 'fresh', sessionId: null },
          ...{ channel: null, warnings: [] },
        }
      },
      hooks: {
        read: () => ({ kind: 'stop', again: false }),
        answer: () => null,
        carries: () => false,
      },
    }) as unknown as AgentCli
  const configOf = (of: number): Config =>
    configSchema.parse({
      roles: { dev: { agent: `v${of}`, permissions: { policy: 'list', allow: [`v${of}`] } } },
      agents: { [`v${of}`]: { adapter: 'command', command: [`v${of}`], tools: [`tool-${of}`] } },
      worktree: { setup: [[`v${of}`]], pool: of },
      environment: { pass: [`V${of}`] },
      git: { checkout_workers: of },
      multiplexer: { columns: 100 + of },
      stop: { timeout: 60 + of, max_blocks: of },
      ...more(of),
    })
  const settings: Settings = {
    snapshot: async () => {
      const of = ++version
      const config = configOf(of)
      return {
        config,
        agentCli: (name) => {
          used.push(`program ${of}: ${name}`)
          return cli(of, name)
        },
      }
    },
    requireTrust: async () => {},
  }
  return { settings, used, taken: () => version }
}

async function world() {
  const folder = await mkdtemp(join(tmpdir(), 'snapshot-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const [log, clock] = [silentLog(), Date.now]
  const store = await openSqliteStore({ file: join(folder, 'store.db'), log })
  onTestFinished(() => store.close())
  const renderer = createRenderer({
    shippedFolder: fileURLToPath(new URL('../../../templates', import.meta.url)),
    overrideFolder: () => Promise.resolve(null),
    log,
  })
  const publisher = createPublisher({ store, renderer, clock, log, newDeliveryId })
  const states = createStates({ store, publisher, outbox: { wake: () => {} } as never, clock })
  return { log, clock, store, publisher, states }
}

const SHA = 'a'.repeat(40) as Sha

/** All that a spawn does to the world, in the version that each part of it comes from. */
async function spawn(limits: (version: number) => Record<string, unknown> = () => ({})) {
  const base = await world()
  const { settings, used, taken } = edited((of) => ({ limits: limits(of) }))
  const lead = makeAgent({ name: 'lead', kind: 'subtree', agentCli: null, sessionId: null })
  await base.store.agents.insert(lead)
  const git = {
    lookOverPool: async (folder: string, count: number) =>
      void (folder === '/pool' && count === 1 && used.push('ahead')),
    status: async () => {
      used.push('parent')
      return { operation: null, dirty: [], branch: lead.branch, head: SHA }
    },
    resolve: async (ref: string) => (ref.startsWith('refs/heads/') ? null : SHA),
    worktrees: async () => [],
    fillLargeFiles: async () => null,
    addWorktree: async ({ checkoutWorkers }: { checkoutWorkers: number }) =>
      void used.push(`worktree ${checkoutWorkers}`),
  }
  const files = {
    exists: async () => false,
    folder: () => '/folder',
    setupLog: () => '/log',
    promptFile: () => '/prompt',
    writePrompt: async () => {},
    writeAuth: async () => '/auth',
    writePlanned: async () => {},
    writeChannel: async () => {},
    writeLaunch: async (_id: unknown, { env }: { env: Record<string, string> }) => {
      used.push(`launch ${env['PASS']}, stop ${env['EXOMONAD_STOP_TIMEOUT']}`)
      return ['launch']
    },
    runSetup: async (
      [file]: string[],
      _worktree: string,
      { env }: { env: Record<string, string> },
    ) => {
      used.push(`set-up ${file}, ${env['PASS']}`)
      return { ok: true }
    },
  }
  const multiplexer = {
    open: async ({ columns }: OpenPane) => {
      used.push(`pane ${columns}`)
      return { paneId: asPaneId('%1'), pid: 7 }
    },
  }
  const environmentOf = ({ environment }: Config) => ({ PASS: environment.pass.join() })
  const deps = {
    ...base,
    ...{ git, files, multiplexer, settings, environmentOf },
    forge: { kind: 'local', remote: 'origin', issues: null },
    prompts: async ({ environment }: Config) => `prompt ${environment.pass.join()}`,
    paths: {
      worktrees: { inside: '/worktrees', sibling: '/siblings' },
      pools: { inside: '/pool', sibling: '/other' },
      home: '/home',
      spool: '/spool',
      configFile: '/config.toml',
    },
    ...{
      agentPath: '/bin',
      socket: '/socket',
      mcpUrl: null,
      hookScript: '/hook',
      freePort: async () => 1,
    },
    panes: { find: async () => undefined },
    slots: { of: async () => ({ slot: 1, portBase: 20_020 }) },
    limits: { behind: async () => ({ argv: [], notices: [] }) },
    variablesOf: async () => ({}),
    onJournalStep: () => {},
    opened: () => {},
    undo: { undo: async () => {} },
  } as unknown as Parameters<typeof createSpawning>[0] &
    Parameters<typeof createLauncher>[0] &
    Parameters<typeof createApprovals>[0] &
    Parameters<typeof createSpawnStart>[0]
  const launcher = createLauncher(deps)
  const approvals = createApprovals(deps)
  const spawning = createSpawning({
    ...deps,
    launcher,
    approvals,
    admission: createAdmission(deps),
    start: createSpawnStart({ ...deps, launcher }),
  })
  const result = spawning.spawn({ kind: 'agent', agent: lead }, [
    { kind: 'worker', name: 'one', prompt: 'Do it.' },
  ])
  return { result, approvals, taken, used, store: base.store }
}

/** Numbers of the versions that are named in what was used. */
const versionsIn = (used: readonly string[]): number[] => [
  ...new Set(used.flatMap((line) => (line.match(/\d+/g) ?? []).map((text) => Number(text) % 10))),
]

describe('a configuration that is edited all the while', () => {
  it('is one throughout a spawn', async () => {
    const { result, taken, used, store } = await spawn()
    const { spawned, errors } = await result
    expect(errors).toEqual([])
    expect(taken()).toBe(1)
    const agent = await store.agents.get(spawned[0]!.agent_id)
    expect(agent).toMatchObject({ agentCli: 'v1', tools: ['tool-1'] })
    expect(used.map((line) => line.split(' ')[0])).toEqual(
      expect.arrayContaining(['program', 'worktree', 'set-up', 'plan', 'launch', 'pane']),
    )
    // What it may take is looked over while other things are looked at.
    expect(used.slice(0, 2)).toEqual(['ahead', 'parent'])
    expect(used).toContain('launch V1, stop 66')
    expect(versionsIn(used.filter((line) => !line.startsWith('launch')))).toEqual([1])
  })

  it('is taken anew by a spawn that a person let wait, and is one from there on', async () => {
    const { result, approvals, taken, used, store } = await spawn(() => ({ approval_depth: 1 }))
    await expect.poll(async () => (await store.approvals.pending()).length).toBe(1)
    used.length = 0
    const [asked] = await store.approvals.pending()
    await approvals.decide(asked!.id, 'approved', undefined)
    const { spawned, errors } = await result
    expect(errors).toEqual([])
    expect(taken()).toBe(2)
    expect(await store.agents.get(spawned[0]!.agent_id)).toMatchObject({ agentCli: 'v2' })
    expect(used).toContain('launch V2, stop 67')
    expect(versionsIn(used.filter((line) => !line.startsWith('launch')))).toEqual([2])
  })

  it('is one throughout a program’s stop hook', async () => {
    const base = await world()
    const { settings, taken } = edited()
    const agent = makeAgent({ agentCli: 'v1' })
    await base.store.agents.insert(agent)
    const synced: number[] = []
    const deps = {
      ...base,
      ...{ settings, gate: createTextGate(), polling: { poll: async () => {} } },
      outbox: { wake: () => {}, looked: () => {}, takeForHook: async () => null },
      git: {
        status: async () => ({ operation: null, dirty: [], conflicted: [], branch: agent.branch }),
        resolve: async () => SHA,
        countCommits: async () => 0,
      },
      forge: { kind: 'local', remote: 'origin' },
      forgeWatch: { away: async () => undefined, silence: () => new Promise<never>(() => {}) },
      followBase: async () => agent,
      sync: {
        run: async (stop: Config['stop']) => {
          synced.push(stop.max_blocks)
          return { kind: 'no_pull_request', commits: 1, base: 'main' }
        },
      },
      usage: { refresh: () => {} },
      permissions: { settled: () => {} },
      firstTurn: {},
    } as unknown as Parameters<typeof createStopChain>[0] & Parameters<typeof createProgramHooks>[0]
    const hooks = createHooks({ ...deps, stopChain: createStopChain(deps) })
    const fromProgram = createProgramHooks({ ...deps, hooks })
    for (const round of [1, 2]) {
      await fromProgram({ kind: 'agent', agent }, 'Stop', {})
      expect([taken(), ...synced]).toEqual([round, ...[1, 2].slice(0, round)])
    }
    // The second may hold it twice, and has.
    expect((await base.store.agents.get(agent.id))?.stopBlocks).toBe(2)
  })

  it('is taken once, or not at all, for a message', async () => {
    const folder = mailFolder()
    onTestFinished(() => folder.remove())
    const mail = await openMailWorld(folder.file)
    onTestFinished(() => mail.die())
    const lead = makeAgent({
      name: 'lead',
      kind: 'root',
      parentId: null,
      branch: asBranchName('main'),
    })
    const child = makeAgent({ name: 'child', parentId: lead.id })
    for (const agent of [lead, child]) await mail.store.agents.insert(agent)
    const caller = { kind: 'agent', agent: child } as const
    await mail.messages.send(caller, 'lead', 'Half way.')
    expect(mail.snapshots()).toBe(0)
    await mail.messages.send(caller, 'lead', '{"status":"idle","success":true,"summary":"Done."}')
    expect(mail.snapshots()).toBe(1)
  })
})
