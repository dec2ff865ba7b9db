import { describe, expect, it } from 'vitest'
import type { Store } from '../../../src/adapters/store/store.ts'
import { newAgentId, newQuestionId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { questionRow } from './rows.ts'

/** Questions, journal, approvals, deadlines and snapshots. */
export function recordVerbs(store: () => Store, open: () => Promise<OpenedStore>): void {
  describe('questions', () => {
    it('lists the open ones of an agent, or of all, oldest first', async () => {
      const own = await open()
      const agentId = newAgentId()
      const [late, early, other] = [
        questionRow({ agentId, askedAt: 20 }),
        questionRow({ agentId, askedAt: 10 }),
        questionRow({ askedAt: 15 }),
      ]
      for (const question of [late, early, other]) await own.store.questions.insert(question)
      expect(await own.store.questions.open(agentId)).toEqual([early, late])
      expect(await own.store.questions.open()).toEqual([early, other, late])
      expect(await own.store.questions.answer(early.id, '8080', 'human', 30)).toBe(true)
      expect(await own.store.questions.open(agentId)).toEqual([late])
      await own.reopen()
      expect(await own.store.questions.get(early.id)).toEqual({
        ...early,
        answer: '8080',
        answeredBy: 'human',
        answeredAt: 30,
      })
      await own.dispose()
    })

    it('keeps the first of several answers', async () => {
      const question = questionRow()
      await store().questions.insert(question)
      const answers = await Promise.all(
        ['8080', '9090', '7070'].map((answer) =>
          store().questions.answer(question.id, answer, 'human', 30),
        ),
      )
      expect(answers).toEqual([true, false, false])
      expect(await store().questions.get(question.id)).toMatchObject({ answer: '8080' })
      expect(await store().questions.answer(newQuestionId(), 'x', 'human', 30)).toBe(false)
    })

    it('lets exactly one deliver the answer', async () => {
      const question = questionRow()
      await store().questions.insert(question)
      await store().questions.answer(question.id, '8080', 'human', 30)
      expect((await store().questions.unclaimed()).map(({ id }) => id)).toContain(question.id)
      const claims = await Promise.all(
        (['tool', 'delivery', 'tool', 'delivery'] as const).map((by) =>
          store().questions.claim(question.id, by),
        ),
      )
      expect(claims).toEqual([true, false, false, false])
      expect(await store().questions.get(question.id)).toMatchObject({ claimedBy: 'tool' })
      expect(await store().questions.claim(newQuestionId(), 'tool')).toBe(false)
      expect((await store().questions.unclaimed()).map(({ id }) => id)).not.toContain(question.id)
    })
  })

  describe('journal', () => {
    it('keeps what was begun and merges what each step adds, across a restart', async () => {
      const own = await open()
      await own.store.journal.begin({
        id: 'j-1',
        kind: 'spawn',
        step: 'branch',
        data: { branch: 'main.auth', tries: 1 },
        startedAt: 10,
      })
      await own.store.journal.begin({
        id: 'j-2',
        kind: 'merge',
        step: 'merge',
        data: {},
        startedAt: 5,
      })
      await own.store.journal.step('j-1', 'worktree', { worktree: '/w', tries: 2 })
      await own.store.journal.step('j-1', 'pane')
      await own.reopen()
      const spawn = {
        id: 'j-1',
        kind: 'spawn',
        step: 'pane',
        data: { branch: 'main.auth', tries: 2, worktree: '/w' },
        state: 'open',
        startedAt: 10,
      }
      expect(await own.store.journal.open()).toEqual([
        spawn,
        { id: 'j-2', kind: 'merge', step: 'merge', data: {}, state: 'open', startedAt: 5 },
      ])
      await own.store.journal.finish('j-1', 'undone')
      expect((await own.store.journal.open()).map(({ id }) => id)).toEqual(['j-2'])
      expect(await own.store.journal.get('j-1')).toEqual({ ...spawn, state: 'undone' })
      expect(await own.store.journal.get('j-3')).toBeUndefined()
      await own.dispose()
    })

    it('loses nothing where steps of one entry come at once', async () => {
      const id = newAgentId()
      await store().journal.begin({ id, kind: 'spawn', step: 'begin', data: {}, startedAt: 10 })
      await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          store().journal.step(id, 'step', { [`key${index}`]: index }),
        ),
      )
      expect(Object.keys((await store().journal.get(id))?.data ?? {})).toHaveLength(10)
    })

    it('refuses a step, an end or a second begin that would leave an effect unrecorded', async () => {
      await expect(store().journal.step('unknown', 'step')).rejects.toMatchObject({
        code: 'INTERNAL',
      })
      await expect(store().journal.finish('unknown', 'done')).rejects.toMatchObject({
        code: 'INTERNAL',
      })
      const entry = { id: newAgentId(), kind: 'spawn', step: 'begin', data: {}, startedAt: 10 }
      await store().journal.begin(entry)
      await expect(store().journal.begin(entry)).rejects.toMatchObject({ code: 'INTERNAL' })
    })
  })

  describe('approvals', () => {
    it('are decided once', async () => {
      const approval = {
        id: newAgentId(),
        agentId: newAgentId(),
        what: 'merge #3',
        requestedAt: 10,
        decision: null,
        decidedAt: null,
        reason: null,
      }
      await store().approvals.insert(approval)
      expect(await store().approvals.pending()).toContainEqual(approval)
      expect(await store().approvals.decide(approval.id, 'denied', 'not yet', 20)).toBe(true)
      expect(await store().approvals.decide(approval.id, 'approved', null, 30)).toBe(false)
      expect(await store().approvals.get(approval.id)).toEqual({
        ...approval,
        decision: 'denied',
        reason: 'not yet',
        decidedAt: 20,
      })
      expect(await store().approvals.pending()).not.toContainEqual(
        expect.objectContaining({ id: approval.id }),
      )
      expect(await store().approvals.get('unknown')).toBeUndefined()
    })
  })

  describe('deadlines', () => {
    it('are due in order, replaced by key, removed by key or prefix, and survive a restart', async () => {
      const own = await open()
      const { deadlines } = own.store
      expect(await deadlines.next()).toBeUndefined()
      await deadlines.set('review:7', 300, { pull: 7 })
      await deadlines.set('silent:b', 200, {})
      await deadlines.set('silent:a', 100.2, { minutes: 10 })
      await deadlines.set('silentx', 400, {})
      await deadlines.set('review:7', 50, { pull: 7, again: true })
      await own.reopen()
      expect(await own.store.deadlines.next()).toBe(50)
      expect(await own.store.deadlines.due(100)).toEqual([
        { key: 'review:7', at: 50, data: { pull: 7, again: true } },
      ])
      expect((await own.store.deadlines.due(200)).map(({ key }) => key)).toEqual([
        'review:7',
        'silent:a',
        'silent:b',
      ])
      await own.store.deadlines.remove('review:7')
      await own.store.deadlines.removePrefix('silent:')
      expect((await own.store.deadlines.due(1000)).map(({ key }) => key)).toEqual(['silentx'])
      await own.dispose()
    })

    it('take a prefix literally', async () => {
      const own = await open()
      for (const key of ['a%b', 'a_b', 'axb', 'ü1']) await own.store.deadlines.set(key, 1, {})
      await own.store.deadlines.removePrefix('a_')
      await own.store.deadlines.removePrefix('ü')
      expect((await own.store.deadlines.due(1)).map(({ key }) => key)).toEqual(['a%b', 'axb'])
      await own.dispose()
    })
  })

  describe('snapshots', () => {
    it('are kept by key, replaced whole, and listed by prefix', async () => {
      const own = await open()
      const { snapshots } = own.store
      await snapshots.put('pull/2', { head: 'b', reviews: [{ id: 1 }] })
      await snapshots.put('pull/1', { head: 'a', old: true })
      await snapshots.put('pull/1', { head: 'c' })
      await snapshots.put('base/main', {})
      expect(await snapshots.get('pull/1')).toEqual({ head: 'c' })
      expect(await snapshots.get('pull/3')).toBeUndefined()
      expect(await snapshots.keys('pull/')).toEqual(['pull/1', 'pull/2'])
      expect([...(await snapshots.list('pull/'))]).toEqual([
        ['pull/1', { head: 'c' }],
        ['pull/2', { head: 'b', reviews: [{ id: 1 }] }],
      ])
      await snapshots.remove('pull/1')
      expect(await snapshots.keys('')).toEqual(['base/main', 'pull/2'])
      await own.dispose()
    })
  })
}
