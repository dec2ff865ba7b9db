import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import type { Run, RunResult } from '../../../src/domain/records.ts'
import { type Sha, newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'

export function runVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  const run = (given: Partial<Run> = {}): Omit<Run, 'result'> => ({
    agentId: newAgentId(),
    startTree: 'a'.repeat(40) as Sha,
    command: 'npm test -- --grep "ünïcode ☂"',
    model: null,
    deadline: null,
    ...given,
  })
  const result = (given: Partial<RunResult> = {}): RunResult => ({
    status: 'completed',
    summary: 'exit code 0 after 3 s',
    output: 'one\n[stderr] two "quoted" \u001b[31m\n',
    filesModified: ['a b.txt', 'ü/語.txt'],
    elapsedMs: 3120,
    turns: 0,
    reason: null,
    ...given,
  })

  describe('runs', () => {
    it('returns what one was started with and what came of it, also after a restart', async () => {
      const own = await open()
      const [one, other] = [
        run(),
        run({ startTree: null, command: null, model: 'large', deadline: 5000 }),
      ]
      await own.store.runs.insert(one)
      await own.store.runs.insert(other)
      expect(await own.store.runs.get(one.agentId)).toEqual({ ...one, result: null })
      expect(await own.store.runs.finish(one.agentId, result())).toBe(true)
      await own.reopen()
      expect(await own.store.runs.get(one.agentId)).toEqual({ ...one, result: result() })
      expect(await own.store.runs.get(other.agentId)).toEqual({ ...other, result: null })
      expect(await own.store.runs.get(newAgentId())).toBeUndefined()
      await own.dispose()
    })

    it('keeps the first result, until the program is started again', async () => {
      const { agentId, ...facts } = run()
      await store().runs.insert({ agentId, ...facts })
      const finished = await Promise.all(
        ['one', 'two', 'three'].map((summary) => store().runs.finish(agentId, result({ summary }))),
      )
      expect(finished.filter(Boolean)).toHaveLength(1)
      const first = (await store().runs.get(agentId))?.result
      expect(
        await store().runs.finish(agentId, result({ summary: 'late', status: 'failed' })),
      ).toBe(false)
      expect((await store().runs.get(agentId))?.result).toEqual(first)
      await store().runs.reopen(agentId)
      expect(await store().runs.get(agentId)).toEqual({ agentId, ...facts, result: null })
      expect(await store().runs.finish(agentId, result({ summary: 'second life' }))).toBe(true)
    })

    it('takes the result of an agent of which it knew nothing', async () => {
      const agentId = newAgentId()
      expect(await store().runs.finish(agentId, result({ status: 'killed' }))).toBe(true)
      expect(await store().runs.get(agentId)).toEqual({
        ...{ agentId, startTree: null, command: null, model: null, deadline: null },
        result: result({ status: 'killed' }),
      })
    })

    it('lists those that have a deadline and no result, the first one first', async () => {
      const own = await open()
      const runs = [
        run({ deadline: 3000 }),
        run({ deadline: 1000 }),
        run(),
        run({ deadline: 2000.4 }),
      ]
      for (const one of runs) await own.store.runs.insert(one)
      const deadlines = async () => (await own.store.runs.timed()).map(({ deadline }) => deadline)
      // Never due early.
      expect(await deadlines()).toEqual([1000, 2001, 3000])
      await own.store.runs.finish(runs[1]!.agentId, result())
      await own.reopen()
      expect(await deadlines()).toEqual([2001, 3000])
      await own.dispose()
    })

    it('forgets one that is taken back, and keeps nothing of a transaction that failed', async () => {
      const [gone, lost] = [run(), run()]
      await store().runs.insert(gone)
      await store().runs.remove(gone.agentId)
      expect(await store().runs.get(gone.agentId)).toBeUndefined()
      const failing = store().transaction(async (tx) => {
        await tx.runs.insert(lost)
        await tx.runs.finish(lost.agentId, result())
        throw new Error('no')
      })
      await expect(failing).rejects.toThrow('no')
      expect(await store().runs.get(lost.agentId)).toBeUndefined()
    })
  })
}
