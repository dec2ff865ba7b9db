import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Agent } from '../../../src/domain/records.ts'
import { createCaptures } from '../../../src/core/spawn/captures.ts'
import { endCapture, openCaptureOf } from '../../../src/core/spawn/open-capture.ts'
import type { AgentId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { agentRow } from '../../conformance/store/rows.ts'
import { verifies } from '../../requirements.ts'

/**
 * Captures against a model of two lists for each agent, on a real store that is closed and opened
 * again in between.
 */

interface Model {
  alive: boolean
  open: string[] | null
  /** A fork of it is being made. */
  forking: boolean
  /** All that was ever written, with its kind. */
  written: [kind: string, text: string][]
}

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc
    .array(fc.constantFrom('one', '', ' two', '語 👩‍👩‍👧', '\u001b[31mred', '\u0000'), {
      minLength: 1,
      maxLength: 3,
    })
    .map((lines) => lines.join('\n')),
)
const step = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('start' as const),
      text: fc.option(text, { nil: undefined }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('add' as const), text }) },
  { weight: 2, arbitrary: fc.constant({ do: 'cancel' as const }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('fork' as const),
      meanwhile: fc.option(text, { nil: undefined }),
      fails: fc.boolean(),
    }),
  },
  { weight: 1, arbitrary: fc.constant({ do: 'wait' as const }) },
  { weight: 1, arbitrary: fc.constant({ do: 'kill' as const }) },
  { weight: 2, arbitrary: fc.constant({ do: 'restart' as const }) },
)

/** The same lines as a person sees them. */
const asLines = (written: string): string[] =>
  written
    .toWellFormed()
    .replace(/\r\n|\r/g, '\n')
    .replace(/\n$/, '')
    .split('\n')

it(
  verifies(
    'R000-16',
    'whatever is begun, written, given up, forked, killed and restarted: lines stay as written, and a child gets exactly the open ones',
  ),
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'captures-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const open = (): Promise<Store> =>
      openSqliteStore({ file: join(folder, 'store.db'), log: silentLog() })
    let store = await open()
    onTestFinished(() => store.close())
    let now = 0
    const captures = () =>
      createCaptures({ store, clock: () => ++now, scrollback: { lineNow: async () => now } })

    const history = fc.array(fc.record({ agent: fc.nat({ max: 1 }), step }), { maxLength: 25 })
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const agents = [agentRow({ kind: 'root', name: 'main' }), agentRow({ kind: 'fork' })]
        for (const agent of agents) await store.agents.insert(agent)
        const models = new Map<AgentId, Model>(
          agents.map(({ id }) => [id, { alive: true, open: null, forking: false, written: [] }]),
        )
        for (const { agent: index, step: taken } of steps) {
          const agent = agents[index] as Agent
          const model = models.get(agent.id) as Model
          if (taken.do === 'restart') {
            await store.close()
            store = await open()
          } else if (taken.do === 'kill') {
            if (agent.kind === 'root') continue
            await store.agents.update(agent.id, { state: 'killed' })
            model.alive = false
          } else if (taken.do === 'wait') {
            await store.scrollback.append({
              agentId: agent.id,
              kind: 'wait',
              text: 'an answer',
              at: 1,
              line: 1,
            })
            model.written.push(['wait', 'an answer'])
          } else if (taken.do === 'fork') await fork(agent, model, taken)
          else await write(agent, model, taken)
          await agrees(agent, model)
        }
        for (const agent of agents) await agrees(agent, models.get(agent.id) as Model)
      }),
      { numRuns: 80, timeout: 30_000 },
    )

    async function write(
      agent: Agent,
      model: Model,
      taken: { do: 'start' | 'add'; text?: string | undefined } | { do: 'cancel' },
    ): Promise<void> {
      const caller = { kind: 'human', agent } as const
      const call =
        taken.do === 'cancel'
          ? captures().cancel(caller)
          : captures().add(caller, { begin: taken.do === 'start', text: taken.text })
      const refused =
        taken.do !== 'cancel' && !model.alive
          ? 'ALREADY_DEAD'
          : model.forking || (model.open === null && taken.do !== 'start')
            ? 'INVALID_ARG'
            : null
      if (refused !== null) return expect(call).rejects.toMatchObject({ code: refused })
      const before = model.open?.length ?? 0
      if (taken.do === 'cancel') {
        model.open = null
        model.written.push(['capture-cancel', ''])
        return expect(await call).toEqual({ agent_id: agent.id, lines: before })
      }
      if (model.open === null) model.written.push(['capture-begin', ''])
      const lines = taken.text === undefined ? [] : asLines(taken.text)
      model.open = [...(model.open ?? []), ...lines]
      for (const line of lines) model.written.push(['capture', line])
      expect(await call).toEqual({ agent_id: agent.id, lines: before + lines.length })
    }

    /**
     * As a fork does: the lines are looked up and the intent written at once, and the capture ends
     * in the transaction that lets the child live.
     */
    async function fork(
      agent: Agent,
      model: Model,
      taken: { meanwhile?: string | undefined; fails: boolean },
    ): Promise<void> {
      const journal = `fork-${++now}`
      const end = { agentId: agent.id, line: now }
      const lines = await store.transaction(async (tx) => {
        const found = await openCaptureOf(tx, agent)
        await tx.journal.begin({
          id: journal,
          kind: 'spawn',
          step: 'reserved',
          data: found === null ? {} : { capture: end },
          startedAt: now,
        })
        return found
      })
      expect(lines).toEqual(model.open)
      model.forking = lines !== null
      if (taken.meanwhile !== undefined)
        await write(agent, model, { do: 'add', text: taken.meanwhile })
      await write(agent, model, { do: 'cancel' })
      model.forking = false
      await store.transaction(async (tx) => {
        if (!taken.fails && lines !== null)
          await endCapture(tx, end, { id: agent.id, name: 'child' }, now)
        await tx.journal.finish(journal, taken.fails ? 'undone' : 'done')
      })
      if (taken.fails || lines === null) return
      model.open = null
      model.written.push(['capture-fork', `child ${agent.id}`])
    }

    async function agrees(agent: Agent, model: Model): Promise<void> {
      const { entries, capture_lines: count } = await captures().scrollback(agent.id)
      expect(entries.map(({ kind, text: written }) => [kind, written])).toEqual(model.written)
      expect(count).toEqual(model.open === null ? null : model.open.length)
      expect(
        entries.every(({ seq }, index) => index === 0 || seq > (entries[index - 1]?.seq ?? 0)),
      ).toBe(true)
    }
  },
)
