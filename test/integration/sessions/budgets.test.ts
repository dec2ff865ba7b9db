import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { AgentCli } from '../../../src/adapters/agent-cli/agent-cli.ts'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Agent, Usage } from '../../../src/domain/records.ts'
import { configSchema } from '../../../src/config/schema.ts'
import { createBudgetWatch } from '../../../src/core/usage/budget-watch.ts'
import { createUsage } from '../../../src/core/usage/usage.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { createRenderer } from '../../../src/delivery/render/render.ts'
import { newDeliveryId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { startExomonad } from '../../helpers/daemon.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { makeAgent } from '../../unit/core/make-agent.ts'
import { settingsOf } from '../../helpers/settings.ts'

const templates = fileURLToPath(new URL('../../../templates', import.meta.url))

/**
 * A real store and publisher; the agent CLI says what it is set to say, the configuration can be
 * changed.
 */
async function budgeted(first: object) {
  const folder = await mkdtemp(join(tmpdir(), 'exomonad-budgets-'))
  const store = await openSqliteStore({
    file: join(folder, 'store.db'),
    log: silentLog(),
    clock: Date.now,
  })
  const renderer = createRenderer({
    shippedFolder: templates,
    overrideFolder: () => Promise.resolve(null),
    log: silentLog(),
  })
  const publisher = createPublisher({
    store,
    renderer,
    clock: Date.now,
    log: silentLog(),
    newDeliveryId,
  })
  let config = configSchema.parse(first)
  const reported = new Map<string, () => Promise<Usage | null>>()
  let asked = 0
  const cli = {
    usage: ({ agentId }) => (asked++, reported.get(agentId)?.() ?? Promise.resolve(null)),
  } as Partial<AgentCli> as AgentCli
  const settings = settingsOf(
    () => config,
    () => cli,
  )
  const usage = createUsage({
    store,
    settings,
    clock: Date.now,
    log: silentLog(),
    liveOf: async (agent) => ({
      agentId: agent.id,
      pid: null,
      worktree: agent.worktree,
      session: agent.sessionId === null ? null : { id: agent.sessionId, transcript: null },
      folder,
      channel: null,
      title: null,
    }),
    checkBudgets: createBudgetWatch({ store, publisher, settings }).check,
    interval: 10,
  })
  onTestFinished(async () => {
    await usage.stop()
    await store.close()
    await rm(folder, { recursive: true })
  })
  const root = makeAgent({ name: 'main', kind: 'root', depth: 0, agentCli: null, pid: null })
  const lead = makeAgent({
    name: 'lead',
    kind: 'subtree',
    role: 'tl',
    parentId: root.id,
    sessionId: 's1',
    pid: 1,
  })
  const worker = makeAgent({ name: 'worker', parentId: lead.id, sessionId: 's2', pid: 1 })
  for (const agent of [root, lead, worker]) await store.agents.insert(agent)
  const events = async (type: string) =>
    (await store.events.list({ types: [type] })).map(({ payload }) => payload)
  return {
    store,
    usage,
    root,
    lead,
    worker,
    asked: () => asked,
    configure: (changed: object) => (config = configSchema.parse(changed)),
    /**
     * The agent’s program says that it used so much, and its hook reports that it did something.
     */
    uses: async (agent: Agent, model: string, input: number) => {
      reported.set(agent.id, async () => ({
        models: { [model]: { input, output: 0, cacheRead: 0, cacheWrite: 0 } },
      }))
      usage.refresh(agent.id)
      await waitFor(
        'its use to be recorded',
        async () => (await store.agents.get(agent.id))?.usage?.models[model]?.input === input,
      )
    },
    fails: (agent: Agent, error: Error) => reported.set(agent.id, () => Promise.reject(error)),
    events,
    eventually: (type: string, count: number) =>
      waitFor(`${count} × ${type}`, async () => (await events(type)).length >= count),
  }
}

describe('what agents use', () => {
  it('is kept by model, and in all, over several sessions', async () => {
    const tree = await budgeted({})
    await tree.uses(tree.worker, 'opus', 1000)
    await tree.uses(tree.worker, 'opus', 1500)
    expect(await tree.store.agents.get(tree.worker.id)).toMatchObject({ tokens: 1500 })
    await tree.store.agents.update(tree.worker.id, { sessionId: 's3' })
    await tree.uses(tree.worker, 'haiku', 10)
    expect(await tree.store.agents.get(tree.worker.id)).toMatchObject({
      tokens: 1510,
      usage: { models: { opus: { input: 1500 }, haiku: { input: 10 } } },
    })
    // And by the hour: which it is may change meanwhile.
    const byModel = Map.groupBy(await tree.store.usage.list({}), ({ model }) => model)
    expect(
      [...byModel].map(([model, hours]) => [
        model,
        hours.reduce((sum, { input }) => sum + input, 0),
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['opus', 1500],
        ['haiku', 10],
      ]),
    )
  })

  it('stays as it was where the program doesn’t know, and is read again the next time', async () => {
    const tree = await budgeted({})
    await tree.uses(tree.worker, 'opus', 1000)
    tree.fails(tree.worker, new Error('half a line'))
    const asked = tree.asked()
    tree.usage.refresh(tree.worker.id)
    await waitFor('another reading', () => tree.asked() > asked)
    expect((await tree.store.agents.get(tree.worker.id))?.tokens).toBe(1000)
    await tree.uses(tree.worker, 'opus', 2000)
  })

  it('is read by the regular comparison only of those that reported something', async () => {
    const tree = await budgeted({})
    await tree.usage.refreshChanged()
    await waitFor('both to be read', () => tree.asked() === 2)
    await tree.usage.refreshChanged()
    await tree.store.agents.update(tree.lead.id, { lastSeenAt: Date.now() + 1000 })
    await tree.usage.refreshChanged()
    await waitFor('one to be read again', () => tree.asked() === 3)
  })
})

describe('budgets', () => {
  it('warn the parent at 80 % and notify it at 100 %, once each, and again after the limit was raised', async () => {
    const tree = await budgeted({ limits: { tokens_per_agent: 1000 } })
    await tree.uses(tree.worker, 'opus', 799)
    await tree.uses(tree.worker, 'opus', 800)
    await tree.eventually('budget.warning', 1)
    await tree.uses(tree.worker, 'opus', 900)
    await tree.uses(tree.worker, 'opus', 1001)
    await tree.eventually('budget.exhausted', 1)
    // Less than 80 % of what comes next: whichever limit it is compared with, there is nothing to
    // report.
    await tree.uses(tree.worker, 'opus', 1199)
    tree.configure({ limits: { tokens_per_agent: 1500 } })
    await tree.uses(tree.worker, 'opus', 1201)
    await tree.eventually('budget.warning', 2)
    await tree.uses(tree.worker, 'opus', 1600)
    await tree.eventually('budget.exhausted', 2)
    expect(await tree.events('budget.warning')).toEqual([
      { name: 'worker', scope: 'agent', kind: 'tokens', used: 800, limit: 1000 },
      { name: 'worker', scope: 'agent', kind: 'tokens', used: 1201, limit: 1500 },
    ])
    expect((await tree.events('budget.exhausted')).map((payload) => payload['used'])).toEqual([
      1001, 1600,
    ])
    const toLead = await tree.store.outbox.list({ recipient: tree.lead.id, states: ['queued'] })
    expect(toLead.map(({ text }) => text)[0]).toMatch(
      /^\[BUDGET\] worker .* has used 800 of 1000 tokens \(80 %\)/,
    )
    expect(toLead.map(({ text }) => text)[1]).toMatch(
      /^\[BUDGET USED UP\] worker .* has used 1001 of 1000 tokens/,
    )
  })

  it('of a subtree add up what is used in it, in money too; the human is notified of the root’s', async () => {
    const tree = await budgeted({
      limits: { money_per_subtree: 1 },
      prices: { opus: { input: 10, output: 50 } },
    })
    await tree.uses(tree.lead, 'opus-4', 50_000)
    await tree.uses(tree.worker, 'opus-4', 60_000)
    await tree.eventually('budget.exhausted', 2)
    expect(await tree.events('budget.exhausted')).toEqual([
      { name: 'main', scope: 'subtree', kind: 'money', used: 1.1, limit: 1 },
      { name: 'lead', scope: 'subtree', kind: 'money', used: 1.1, limit: 1 },
    ])
    const inbox = await tree.store.outbox.list({ recipient: 'human', states: ['queued'] })
    expect(inbox.map(({ text }) => text).join('\n')).toMatch(
      /\[BUDGET USED UP\] main .* have used \$1\.1 of \$1/,
    )
  })

  it('in money name a model without a price, once', async () => {
    const tree = await budgeted({
      limits: { money_per_agent: 1 },
      prices: { opus: { input: 10, output: 50 } },
    })
    await tree.uses(tree.worker, 'mystery', 1_000_000)
    await tree.eventually('budget.unpriced', 1)
    await tree.uses(tree.lead, 'mystery', 2_000_000)
    // With all that comes of it.
    await tree.usage.stop()
    expect(await tree.events('budget.unpriced')).toEqual([{ name: 'worker', model: 'mystery' }])
    expect(await tree.events('budget.exhausted')).toEqual([])
  })
})

describe('a used up budget', () => {
  it('refuses spawns with the numbers, stops nothing else, and lets them again when it is raised', async () => {
    const tree = await startExomonad({ config: '[limits]\ntool_calls_per_agent = 5\n' })
    onTestFinished(() => tree.stop())
    const raised = join(tree.repository.folder, 'raised')
    const use = { do: 'hook', name: 'tool', body: {} }
    const spawn = (name: string) => ({
      do: 'tool',
      name: 'spawn_workers',
      input: { specs: [{ name, prompt: 'Do it' }] },
    })
    tree.script('lead', {
      steps: [
        spawn('early'),
        ...Array.from({ length: 5 }, () => use),
        spawn('late'),
        { do: 'tool', name: 'note', input: { message: 'still here' } },
        { do: 'file', path: raised },
        spawn('later'),
      ],
    })
    await tree.call('spawn_subtree', { task: 'Lead', branch_name: 'lead' })
    const note = await tree.logged(
      'lead',
      'the note',
      (entry) => entry['kind'] === 'tool' && entry['name'] === 'note',
    )
    expect(note).toMatchObject({ status: 200 })
    const calls = tree
      .log('lead')
      .filter((entry) => entry['kind'] === 'tool' && entry['name'] === 'spawn_workers')
    expect(calls).toMatchObject([
      { status: 200 },
      {
        status: 429,
        answer: { code: 'LIMIT_REACHED', used: 5, limit: 5, key: 'limits.tool_calls_per_agent' },
      },
    ])
    await waitFor('the parent to be notified', async () =>
      (await tree.events()).some(({ type }) => type === 'budget.exhausted'),
    )
    const reported = (await tree.events()).filter(({ type }) => type.startsWith('budget.'))
    expect(reported.at(-1)).toMatchObject({
      type: 'budget.exhausted',
      payload: { name: 'lead', scope: 'agent', kind: 'tool_calls', limit: 5 },
    })
    const planned = await tree.refusal(
      'spawn',
      { kind: 'worker', specs: [{ name: 'one', prompt: 'x' }], dry_run: true },
      { as: 'lead' },
    )
    expect(planned.code).toBe('LIMIT_REACHED')
    expect(await tree.agent('early')).toMatchObject({
      state: expect.stringMatching(/spawning|running|idle/),
    })

    const file = join(tree.repository.path, '.exomonad', 'config.toml')
    await writeFile(
      file,
      (await readFile(file, 'utf8')).replace(
        'tool_calls_per_agent = 5',
        'tool_calls_per_agent = 500',
      ),
    )
    await writeFile(raised, '')
    const later = await tree.logged(
      'lead',
      'a spawn that is let',
      (entry) => entry['kind'] === 'tool' && entry['input']?.specs?.[0]?.name === 'later',
    )
    expect(later).toMatchObject({ status: 200, answer: { spawned: [{ name: 'later' }] } })
  })
})
