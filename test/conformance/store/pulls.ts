import { describe, expect, it } from 'vitest'
import { asBranchName, newAgentId } from '../../../src/domain/ids.ts'
import type { OpenedStore } from './suite.ts'
import { pullRow, sha } from './rows.ts'

export function pullVerbs(open: () => Promise<OpenedStore>): void {
  describe('pulls', () => {
    it('are numbered from 1 without gaps or doubles, however many are filed at once', async () => {
      const own = await open()
      const filed = await Promise.all(
        Array.from({ length: 20 }, (_, index) =>
          own.store.pulls.insert(pullRow({ title: `${index}` })),
        ),
      )
      expect(filed.map(({ number }) => number)).toEqual(
        Array.from({ length: 20 }, (_, index) => index + 1),
      )
      await expect(
        own.store.transaction(async (tx) => {
          await tx.pulls.insert(pullRow())
          throw new Error('rolled back')
        }),
      ).rejects.toThrow('rolled back')
      expect((await own.store.pulls.insert(pullRow())).number).toBe(21)
      await own.dispose()
    })

    it('give back what was filed and what changed, by state and branches', async () => {
      const own = await open()
      const row = pullRow({ draft: true, agentId: newAgentId() })
      const first = await own.store.pulls.insert(row)
      expect(first).toEqual({ ...row, number: 1 })
      const second = await own.store.pulls.insert(pullRow({ headBranch: asBranchName('main.api') }))
      const patch = {
        state: 'merged',
        mergeSha: sha('d'),
        mergedBy: 'human',
        mergedHead: sha('e'),
        draft: false,
        updatedAt: 2000,
      } as const
      await own.store.pulls.update(1, patch)
      await own.store.pulls.update(2, {})
      await own.reopen()
      expect(await own.store.pulls.get(1)).toEqual({ ...first, ...patch })
      expect(await own.store.pulls.get(2)).toEqual(second)
      expect(await own.store.pulls.get(3)).toBeUndefined()
      expect((await own.store.pulls.list()).map(({ number }) => number)).toEqual([1, 2])
      expect((await own.store.pulls.list({ state: 'open' })).map(({ number }) => number)).toEqual([
        2,
      ])
      expect(
        (await own.store.pulls.list({ state: 'open', headBranch: row.headBranch })).map(
          ({ number }) => number,
        ),
      ).toEqual([])
      expect(
        (await own.store.pulls.list({ baseBranch: row.baseBranch })).map(({ number }) => number),
      ).toEqual([1, 2])
      await own.dispose()
    })

    it('keep reviews with their line comments, in order', async () => {
      const own = await open()
      const { pulls } = own.store
      await pulls.insert(pullRow())
      await pulls.insert(pullRow())
      const review = {
        pull: 1,
        author: 'human',
        state: 'changes_requested',
        body: 'Nearly.',
        commit: sha('b'),
        submittedAt: 2000,
      } as const
      const first = await pulls.addReview({
        ...review,
        comments: [
          { path: 'src/a.ts', startLine: 1, line: 3, side: 'left', body: 'Why?' },
          { path: 'src/b.ts', line: null, body: 'Split it.' },
        ],
      })
      await pulls.addReview({
        ...review,
        pull: 2,
        comments: [{ path: 'other', line: 1, body: 'x' }],
      })
      const second = await pulls.addReview({ ...review, state: 'approved', comments: [] })
      expect(first).toMatchObject(review)
      expect(
        first.comments.map(({ path, startLine, line, side }) => [path, startLine, line, side]),
      ).toEqual([
        ['src/a.ts', 1, 3, 'left'],
        ['src/b.ts', null, null, 'right'],
      ])
      expect(await pulls.reviews(1)).toEqual([first, second])
      expect(await pulls.reviews(9)).toEqual([])

      // A conversation is its first comment and what answers it: all of it is resolved at once, and
      // no other.
      const [asked, other] = first.comments
      expect([asked, other]).toMatchObject([0, 1].map(() => ({ thread: null, resolved: false })))
      const answers = [{ path: 'src/a.ts', line: 3, body: 'So that.', thread: asked!.id }]
      const third = await pulls.addReview({ ...review, state: 'commented', comments: answers })
      expect(third.comments).toMatchObject([{ thread: asked!.id, resolved: false }])
      await pulls.resolveThread(asked!.id)
      const late = await pulls.addReview({ ...review, state: 'commented', comments: answers })
      expect(late.comments).toMatchObject([{ thread: asked!.id, resolved: true }])
      await own.reopen()
      const kept = (await own.store.pulls.reviews(1)).flatMap(({ comments }) => comments)
      expect(kept.map(({ thread, resolved }) => [thread, resolved])).toEqual([
        [null, true],
        [null, false],
        [asked!.id, true],
        [asked!.id, true],
      ])
      await own.dispose()
    })

    it('refuse a review or check of a pull request that is not there, and keep nothing of it', async () => {
      const own = await open()
      const review = {
        pull: 7,
        author: 'human',
        state: 'commented',
        body: '',
        commit: sha('b'),
        submittedAt: 1,
        comments: [],
      } as const
      await expect(own.store.pulls.addReview(review)).rejects.toMatchObject({ code: 'INTERNAL' })
      expect(await own.store.pulls.reviews(7)).toEqual([])
      await own.dispose()
    })

    it('keep checks by pull request, head and status', async () => {
      const own = await open()
      const { pulls } = own.store
      await pulls.insert(pullRow())
      const row = {
        pull: 1,
        kind: 'pull',
        name: 'test',
        head: sha('b'),
        base: sha('a'),
        tree: sha('e'),
        configHash: 'c1',
        status: 'queued',
        exitCode: null,
        logPath: '/log/1',
        startedAt: null,
        finishedAt: null,
      } as const
      const [first, second] = [
        await pulls.insertCheck(row),
        await pulls.insertCheck({ ...row, head: sha('c'), name: 'lint' }),
      ]
      expect(first).toEqual({ ...row, id: first.id })
      const patch = { status: 'failed', exitCode: 1, startedAt: 10, finishedAt: 20 } as const
      await pulls.updateCheck(first.id, patch)
      expect(await pulls.checks({ pull: 1 })).toEqual([{ ...first, ...patch }, second])
      expect(await pulls.checks({ head: sha('c') })).toEqual([second])
      expect(await pulls.checks({ pull: 1, statuses: ['failed', 'running'] })).toEqual([
        { ...first, ...patch },
      ])
      expect(await pulls.checks({ statuses: [] })).toEqual([])
      // Of a result of several, and of a branch as it is: of no pull request, and found by its
      // files.
      const result = await pulls.insertCheck({
        ...row,
        pull: null,
        kind: 'result',
        base: null,
        tree: sha('f'),
      })
      const base = await pulls.insertCheck({ ...row, pull: null, kind: 'base', tree: sha('f') })
      expect(await pulls.checks({ tree: sha('f') })).toEqual([result, base])
      expect(await pulls.checks({ statuses: ['queued'], last: 2 })).toEqual([result, base])
      expect((await pulls.checks({ tree: sha('e') })).map(({ id }) => id)).toEqual([
        first.id,
        second.id,
      ])
      await own.dispose()
    })
  })
}
