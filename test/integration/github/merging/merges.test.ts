import { describe, expect, it } from 'vitest'
import type { Forge } from '../../../../src/adapters/forge/forge.ts'
import { createTextGate } from '../../../../src/sanitize/text-gate.ts'
import { createMerging } from '../../../../src/adapters/forge/github/writing/merge.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import type { BranchName, Sha } from '../../../../src/domain/ids.ts'
import type { Fault } from '../../../fixtures/github/fake.ts'
import { CREATE, MERGE, name, startWriting } from '../../../helpers/github/github-writing.ts'
import { verifies } from '../../../requirements.ts'

const FAULTS: readonly Fault[] = [
  { kind: 'status', status: 502 },
  { kind: 'drop', after: true },
  { kind: 'garbage' },
  { kind: 'status', status: 504, after: true },
  { kind: 'secondary', retryAfter: null },
  { kind: 'drop' },
  { kind: 'status', status: 500, after: true },
]

const settled = (result: Awaited<ReturnType<Forge['settleMerge']>>): Sha => {
  if (result.kind === 'merged') return result.head
  throw new ExomonadError('FORGE_UNAVAILABLE', result.kind)
}

describe('merging on GitHub', () => {
  it(
    verifies(
      'R004-09',
      'records in the journal that it merges, once, and merges the head that was looked at',
    ),
    async () => {
      const { github, grown, merge, git, remote } = await startWriting()
      const { head, number } = await grown('main.a')
      const prepared: (Sha | null)[] = []
      const result = await merge(number, head, { prepared: async (sha) => void prepared.push(sha) })
      expect(result).toEqual({
        kind: 'merged',
        sha: await git.remoteTip(remote, name('main')),
        head,
      })
      expect(prepared).toEqual([null])
      expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'robot' })
    },
  )

  it('merges once where the answer is lost, whether it was done or not', async () => {
    const { github, grown, merge, asked, forge } = await startWriting()
    const one = await grown('main.a')
    github.fail(MERGE, { kind: 'drop', after: true })
    expect(await merge(one.number, one.head)).toMatchObject({
      kind: 'merged',
      head: one.head,
      sha: github.pull(one.number).mergeCommitSha,
    })
    const two = await grown('main.b')
    github.fail(MERGE, { kind: 'status', status: 504 })
    await expect(merge(two.number, two.head)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
    expect(asked(MERGE)).toBe(2)
    expect(
      await forge.settleMerge({ number: one.number, prepared: null, by: 'human' }),
    ).toMatchObject({ kind: 'merged', head: one.head })
    expect(await forge.settleMerge({ number: two.number, prepared: null, by: 'human' })).toEqual({
      kind: 'not_merged',
    })
    await github.down()
    expect(
      await forge.settleMerge({ number: two.number, prepared: null, by: 'human' }),
    ).toMatchObject({ kind: 'unknown' })
    await github.up()
  })

  it('tries again where the base was modified meanwhile', async () => {
    const { github, grown, merge } = await startWriting()
    const { head, number } = await grown('main.a')
    github.fail(MERGE, { kind: 'status', status: 405 }, 2)
    github.fail(MERGE, { kind: 'status', status: 409 })
    const prepared: (Sha | null)[] = []
    const result = await merge(number, head, { prepared: async (sha) => void prepared.push(sha) })
    expect(result).toMatchObject({ kind: 'merged', head })
    expect(prepared).toEqual([null, null, null, null])
    const other = await grown('main.b')
    github.fail(MERGE, { kind: 'status', status: 405 }, 50)
    expect(await merge(other.number, other.head)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('Base branch was modified'),
    })
  })

  it('waits for a merge that GitHub has begun already', async () => {
    let looks = 0
    const pull = {
      number: 7,
      state: 'open',
      merged: false,
      mergeable: true,
      head: { ref: 'main.a', sha: 'a'.repeat(40) },
      base: { ref: 'main', sha: 'b'.repeat(40) },
    }
    const { merge } = createMerging({
      gate: createTextGate(),
      client: {
        rest: async <Data>(route: string) => {
          if (route.startsWith('PUT '))
            return {
              status: 405,
              data: { message: 'Merge already in progress' } as Data,
              headers: {},
            }
          return {
            status: 200,
            data: {
              ...pull,
              ...(++looks > 2
                ? { state: 'closed', merged: true, merge_commit_sha: 'c'.repeat(40) }
                : {}),
            } as Data,
            headers: {},
          }
        },
        pages: async () => [],
        viewer: async () => 'robot',
      },
      pause: async () => {},
      conflictFiles: async () => [],
      baseTip: async () => null,
      merged: () => {},
      scheduling: { schedule: async () => ({ words: 'no' }), look: async () => null },
      settlePushed: async () => null,
    })
    expect(
      await merge({
        number: 7,
        expectedHead: pull.head.sha as Sha,
        expectedBase: pull.base.ref as BranchName,
        strategy: 'merge',
        by: 'human',
        prepared: async () => {},
      }),
    ).toEqual({
      kind: 'merged',
      sha: 'c'.repeat(40),
      head: pull.head.sha,
    })
  })

  it('leaves alone what is pushed in the last moment', async () => {
    const { github, grow, grown, merge } = await startWriting()
    const { head, number } = await grown('main.a')
    let pushed: Sha | undefined
    const prepared = async (): Promise<void> =>
      void (pushed ??= await grow('main.a', { 'more.txt': 'more' }))
    expect(await merge(number, head, { prepared })).toEqual({ kind: 'head_changed', head: pushed })
    expect(github.pull(number).merged).toBe(false)
  })

  it('waits for a mergeability that GitHub has not worked out', async () => {
    const { grown, merge } = await startWriting({ github: { mergeableAfter: 3 } })
    const { head, number } = await grown('main.a')
    expect(await merge(number, head)).toMatchObject({ kind: 'merged' })
  })

  it('names what GitHub has against it in its words', async () => {
    const { github, grown, merge } = await startWriting()
    const { head, number } = await grown('main.a')
    github.state.repository.requiredChecks.set('main', ['ci'])
    expect(await merge(number, head)).toMatchObject({
      kind: 'refused',
      reason: expect.stringMatching(/required status check/i),
    })
    github.state.repository.requiredChecks.clear()
    github.state.repository.allowSquash = false
    expect(await merge(number, head, { strategy: 'squash' })).toEqual({
      kind: 'refused',
      reason: 'Squash merges are not allowed on this repository.',
    })
    await github.as('octo').edit(number, { draft: true })
    expect(await merge(number, head)).toMatchObject({
      kind: 'refused',
      reason: expect.stringContaining('draft'),
    })
    expect(github.pull(number).state).toBe('open')
  })

  it('takes other words for the commit where they are given', async () => {
    const { github, git, remote, grown, merge } = await startWriting()
    const { head, number } = await grown('main.a')
    await merge(number, head, { strategy: 'squash', message: 'Other words\n\nAnd why.' })
    await git.fetch(remote, [name('main')])
    expect((await git.readCommit(github.pull(number).mergeCommitSha as Sha)).message).toMatch(
      /^Other words\n\nAnd why\.\n\nCo-authored-by: Test Person/,
    )
  })

  it('takes a merge of somebody else’s for theirs, also where the answer to its own was lost (20.3)', async () => {
    const { github, grown, merge, forge } = await startWriting()
    const settle = (number: number) => forge.settleMerge({ number, prepared: null, by: 'human' })
    const one = await grown('main.a')
    github.fail(MERGE, { kind: 'status', status: 504 })
    const meanwhile = async (): Promise<void> => void (await github.as('octo').merge(one.number))
    expect(await merge(one.number, one.head, { prepared: meanwhile })).toEqual({
      kind: 'not_open',
      state: 'merged',
    })
    expect(await settle(one.number)).toEqual({ kind: 'not_open', state: 'merged' })
    const two = await grown('main.b')
    await github.as('robot').merge(two.number)
    expect(await settle(two.number)).toMatchObject({ kind: 'merged', head: two.head })
    const snapshots = (await forge.snapshots([one.number, two.number])).map(
      (read) => 'snapshot' in read && read.snapshot,
    )
    expect(snapshots).toMatchObject([
      { mergedBy: 'forge:octo', mergedByOther: true },
      { mergedBy: 'forge:robot' },
    ])
    expect(snapshots[1]).not.toHaveProperty('mergedByOther')
  })

  it('says that a pull request is gone for good', async () => {
    const { github, grown, merge, forge } = await startWriting()
    const { head, number } = await grown('main.a')
    github.removePull(number)
    await expect(merge(number, head)).rejects.toMatchObject({ code: 'PR_NOT_FOUND' })
    await expect(forge.retarget(number, name('main'))).rejects.toMatchObject({
      code: 'PR_NOT_FOUND',
    })
  })
})

describe('a forge that fails', () => {
  it('leaves one pull request and one merge of each, whatever fails in between', async () => {
    const time = { ahead: 0 }
    const { forge, github, grow, wanted, merge, git, remote } = await startWriting({
      clock: () => Date.now() + time.ahead,
    })
    const grown: { branch: string; head: Sha }[] = []
    for (const branch of ['main.a', 'main.b', 'main.c'])
      grown.push({ branch, head: await grow(branch, { [`${branch}.txt`]: 'x' }) })
    for (const fault of FAULTS)
      for (const match of [
        CREATE,
        MERGE,
        /GET \S*\/pulls\/\d+$/,
        /PullRequestsOfHeads/,
        /\/commits/,
      ])
        github.fail(match, fault)

    /** As core and the poller do: later, when the forge says so. */
    const insist = async <T>(work: () => Promise<T>): Promise<T> => {
      for (let tries = 0; ; tries++) {
        try {
          return await work()
        } catch (error) {
          const { code, facts } = error as ExomonadError
          if (code !== 'FORGE_UNAVAILABLE' || tries > 60) throw error
          time.ahead += Math.max(0, Number(facts['retry_at'] ?? 0) - Date.now() - time.ahead)
        }
      }
    }
    for (const { branch, head } of grown) {
      const filed = await insist(() => forge.file(wanted(branch, head)))
      if (filed.kind !== 'filed') throw new Error(filed.kind)
      const result = await insist(() => merge(filed.number, head, { strategy: 'squash' }))
      if (result.kind !== 'merged') {
        expect(result).toEqual({ kind: 'not_open', state: 'merged' })
        expect(
          await insist(async () =>
            settled(await forge.settleMerge({ number: filed.number, prepared: null, by: 'human' })),
          ),
        ).toBe(head)
      }
    }
    expect(
      [...github.state.pulls.values()].map(({ number, merged, headRef }) => ({
        number,
        merged,
        headRef,
      })),
    ).toEqual(
      grown.map(({ branch }, index) => ({ number: index + 1, merged: true, headRef: branch })),
    )
    await git.fetch(remote, [name('main')])
    expect(
      await git.countCommits(
        (await git.resolve('main'))!,
        (await git.resolve(`refs/remotes/${remote}/main`))!,
      ),
    ).toBe(3)
  })
})
