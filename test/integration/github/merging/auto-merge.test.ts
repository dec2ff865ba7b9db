import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startExomonad, type Exomonad } from '../../../helpers/daemon.ts'
import { crashAt } from '../../../helpers/crash-at.ts'
import { startGithubTree, type GithubTree } from '../../../helpers/github/github-tree.ts'
import { waitFor } from '../../../helpers/wait-for.ts'

/** `merge_pr` with `when_ready`: GitHub’s auto-merge (20.18). */

const LIMIT = 60_000

const filing = (name: string) => [
  { do: 'write', path: `${name}.txt`, content: 'x\n' },
  { do: 'commit', message: `Add ${name}` },
  { do: 'tool', name: 'file_pr', input: { title: `Work on ${name}`, body: 'Done' } },
]

async function filed(tree: Exomonad, name: string): Promise<number> {
  tree.script(name, { steps: filing(name) })
  await tree.call('spawn_workers', { specs: [{ name, prompt: 'x' }] })
  return waitFor(
    `filing of ${name}`,
    () =>
      tree.log(name).find((entry) => entry['name'] === 'file_pr')?.['answer']?.pr_number as
        | number
        | undefined,
    {
      limit: LIMIT,
    },
  )
}

describe(
  'a merge that is left to GitHub until nothing stands against it',
  { timeout: 240_000 },
  () => {
    let world: GithubTree
    const tree = () => world.tree
    const github = () => world.github
    const events = async (type: string, number: number): Promise<any[]> =>
      (await tree().events()).filter(
        (event) => event.type === type && event.payload.number === number,
      )
    const event = async (type: string, number: number): Promise<any> =>
      waitFor(
        `${type} of #${number}`,
        async () => ((found) => found.length > 0 && found)(await events(type, number)),
        { limit: LIMIT },
      )
    const green = (number: number) =>
      github().setCheck(github().pull(number).headSha, { name: 'build', conclusion: 'success' })
    const arm = (number: number, more: object = {}) =>
      tree().call('merge_pr', { pr_number: number, when_ready: true, ...more })
    const armed = async (name: string): Promise<number> => {
      const number = await filed(tree(), name)
      expect(await arm(number)).toMatchObject({ merged: false, state: 'auto_merge', sha: null })
      await event('pr.scheduled', number)
      return number
    }
    const pushTo = async (number: number, by: string): Promise<string> => {
      const { repository } = tree()
      const { headSha, headRef } = github().pull(number)
      const commit = await repository.git(
        'commit-tree',
        await repository.git('rev-parse', `${headSha}^{tree}`),
        '-p',
        headSha,
        '-m',
        'One more',
      )
      // Not as the branch: the next request of anybody would be taken for the push.
      await repository.git('push', '-q', github().bare, `${commit}:refs/objects/${commit}`)
      await github().push(headRef, commit, { by })
      return commit
    }

    beforeAll(async () => {
      world = await startGithubTree({
        files: { 'README.md': '# Widgets\n' },
        githubConfig: 'copilot_review = false',
      })
      github().addUser('ann', 'write')
      github().addUser('stranger', 'read')
      github().state.repository.requiredChecks.set('main', ['build'])
      github().state.repository.allowAutoMerge = true
    })
    afterAll(() => world?.stop())

    it('is armed with the allowed way and its words, shown, and followed to the end (20.18)', async () => {
      const number = await filed(tree(), 'one')
      const { stdout } = await tree().command(['pr', 'merge', String(number), '--when-ready'])
      expect(stdout).toContain(`#${number} is set to auto-merge`)
      expect(stdout).toMatch(/GitHub merges it as soon as nothing stands against it \(now: .+\)/)
      expect(github().pull(number).autoMerge).toMatchObject({
        by: 'robot',
        method: 'squash',
        title: expect.stringContaining('Work on one'),
      })
      await event('pr.scheduled', number)
      expect((await tree().command(['pr', 'list'])).stdout).toContain('auto-merge')
      expect((await tree().command(['pr', 'show', String(number)])).stdout).toContain(
        'GitHub merges it once nothing stands against it (asked for by robot)',
      )
      // Asked again, with or without: the same is said, and nothing done.
      for (const more of [{}, { when_ready: false }]) {
        expect(await arm(number, more)).toMatchObject({
          state: 'auto_merge',
          next: expect.stringContaining('is already set to auto-merge'),
        })
      }
      green(number)
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: false, by: 'human', scheduled: true })
      expect(await tree().repository.git('rev-parse', 'main')).toBe(
        github().pull(number).mergeCommitSha,
      )
      expect(await events('pr.ready', number)).toEqual([])
      expect(await events('pr.unscheduled', number)).toEqual([])
      expect((await tree().call('tree')).unfinished).toEqual([])
    })

    it('is merged right away where nothing stands against it (20.18)', async () => {
      const number = await filed(tree(), 'at-once')
      green(number)
      await event('pr.ready', number)
      expect(await arm(number)).toMatchObject({ merged: true, state: 'merged' })
      expect(github().pull(number).autoMerge).toBeNull()
    })

    it('waits for the review of a person, who is asked for it all the same (20.18)', async () => {
      github().state.repository.requiredReviews.set('main', 1)
      const number = await armed('reviewed')
      green(number)
      const [blocked] = await event('pr.blocked', number)
      expect(blocked.payload).toMatchObject({ person: true })
      expect(github().pull(number).merged).toBe(false)
      await github().as('ann').review(number, { state: 'APPROVED', body: 'Fine' })
      await event('pr.merged', number)
      github().state.repository.requiredReviews.clear()
    })

    it('turned off by a person: owner and parent are notified by whom, once, and that it is ready when it is (20.18)', async () => {
      const number = await armed('off')
      await github().as('ann').disableAutoMerge(number)
      const [off] = await event('pr.unscheduled', number)
      expect(off.payload).toMatchObject({ kind: 'auto', reason: expect.stringContaining('ann') })
      const message = await waitFor(
        'word of it to its agent',
        () =>
          tree()
            .log('off')
            .find(
              (entry) =>
                entry['kind'] === 'message' && String(entry['text']).includes('[AUTO-MERGE OFF]'),
            ),
        { limit: LIMIT },
      )
      expect(message['text']).toContain('is not set to auto-merge any more')
      expect((await tree().call('tree')).unfinished).toEqual([])
      green(number)
      await event('pr.ready', number)
      expect(await events('pr.unscheduled', number)).toHaveLength(1)
      expect(github().pull(number).merged).toBe(false)
      // Ready and armed by somebody on GitHub, merged here.
      expect(await tree().call('merge_pr', { pr_number: number })).toMatchObject({ merged: true })
    })

    it('turned off by GitHub for a push of somebody who may not write, and by exomonad for one that nobody here has looked at (20.18)', async () => {
      const theirs = await armed('theirs')
      await pushTo(theirs, 'stranger')
      const [byGithub] = await event('pr.unscheduled', theirs)
      expect(byGithub.payload).toMatchObject({
        kind: 'auto',
        reason: expect.stringContaining('without write access'),
      })
      const ours = await armed('ours')
      await pushTo(ours, 'ann')
      const [byUs] = await event('pr.unscheduled', ours)
      expect(byUs.payload).toMatchObject({
        kind: 'auto',
        reason: 'new commits were pushed to it, which nobody has looked at',
      })
      expect(github().pull(ours)).toMatchObject({ autoMerge: null, merged: false })
      green(ours)
      await event('pr.ready', ours)
      expect(github().pull(ours).merged).toBe(false)
    })

    it('armed by a person on GitHub: shown, and left to them whatever is pushed (20.18)', async () => {
      const number = await filed(tree(), 'person')
      await github().as('ann').enableAutoMerge(number, 'squash')
      await event('pr.scheduled', number)
      expect((await tree().call('pr_show', { pr_number: number })).scheduled).toEqual({
        how: 'auto',
        position: null,
        checks: null,
        by: 'ann',
      })
      await pushTo(number, 'ann')
      await event('pr.pushed', number)
      green(number)
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: true, by: 'forge:ann' })
      expect(await events('pr.unscheduled', number)).toEqual([])
    })

    it('is refused, with what works instead, where it can’t be, and where time does not cure what stands against it (20.18)', async () => {
      const number = await filed(tree(), 'refused')
      github().state.repository.allowAutoMerge = false
      expect(
        await tree().refusal('merge_pr', { pr_number: number, when_ready: true }),
      ).toMatchObject({
        code: 'PR_NOT_MERGEABLE',
        error: expect.stringMatching(
          /octo\/widgets does not allow auto-merge\..*Allow auto-merge.*merge it when you are notified that it is ready/,
        ),
      })
      github().state.repository.allowAutoMerge = true
      expect((await tree().call('tree')).unfinished).toEqual([])
      github().setCheck(github().pull(number).headSha, { name: 'build', conclusion: 'failure' })
      await event('ci.failed', number)
      expect(
        await tree().refusal('merge_pr', { pr_number: number, when_ready: true }),
      ).toMatchObject({
        code: 'CHECKS_FAILED',
        error: expect.stringContaining('can’t be merged, now or later: checks failed: build'),
      })
      // What GitHub does not require it does not wait for.
      github().state.repository.requiredChecks.clear()
      const other = await filed(tree(), 'optional')
      github().setCheck(github().pull(other).headSha, { name: 'slow', conclusion: null })
      await event('ci.pending', other)
      expect(
        await tree().refusal('merge_pr', { pr_number: other, when_ready: true }),
      ).toMatchObject({
        code: 'CHECKS_FAILED',
        error: expect.stringMatching(
          /checks are still running: slow\. GitHub would merge it now, as nothing of that is required there/,
        ),
      })
      expect(github().pull(other)).toMatchObject({ merged: false, autoMerge: null })
      github().state.repository.requiredChecks.set('main', ['build'])
    })

    it('with wait: returns when it is merged, or says why it is not to come (20.18)', async () => {
      const number = await filed(tree(), 'waits')
      const answer = arm(number, { wait: true })
      await event('pr.scheduled', number)
      green(number)
      expect(await answer).toMatchObject({ merged: true, state: 'merged', local_synced: true })
      const other = await filed(tree(), 'waits-in-vain')
      const refusal = tree().refusal('merge_pr', { pr_number: other, when_ready: true, wait: true })
      await event('pr.scheduled', other)
      await github().as('ann').disableAutoMerge(other)
      expect(await refusal).toMatchObject({
        code: 'PR_NOT_MERGEABLE',
        error: expect.stringContaining('was not merged: '),
      })
    })

    it('stays armed through a rebase by exomonad, which its base may ask for (20.18)', async () => {
      github().state.repository.upToDate.add('main')
      const number = await armed('rebased')
      const other = await filed(tree(), 'before-it')
      green(other)
      await event('pr.ready', other)
      expect(await tree().call('merge_pr', { pr_number: other })).toMatchObject({ merged: true })
      const before = github().pull(number).headSha
      green(number)
      await waitFor('it to be rebased', () => github().pull(number).headSha !== before, {
        limit: LIMIT,
      })
      await event('pr.pushed', number)
      expect(github().pull(number).autoMerge).not.toBeNull()
      green(number)
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: false, scheduled: true })
      expect(await events('pr.unscheduled', number)).toEqual([])
      github().state.repository.upToDate.clear()
    })

    it('kill -9 of the daemon once it is armed: it is followed to its end, and credited (20.18)', async () => {
      const number = await filed(tree(), 'killed')
      const { dead } = await crashAt(tree(), 'merge', 'scheduled')
      const call = tree().command(['call', 'merge_pr', '-'], {
        input: JSON.stringify({ pr_number: number, when_ready: true }),
      })
      await dead
      await call
      expect(github().pull(number).autoMerge).not.toBeNull()
      green(number)
      await tree().command(['daemon', 'start'])
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: false, by: 'human', scheduled: true })
      await waitFor(
        'nothing to be left of it',
        async () => (await tree().call('tree')).unfinished.length === 0,
        { limit: LIMIT },
      )
    })

    it('where a merge queue merges, it is put into that when it is ready (20.18)', async () => {
      github().addMergeQueue('main', { method: 'squash' })
      const number = await armed('into-queue')
      green(number)
      const sha = await waitFor(
        'its group',
        () => github().state.queue.find(({ pull }) => pull === number)?.group?.sha,
        { limit: LIMIT },
      )
      await waitFor(
        'it to be shown as queued',
        async () =>
          (await tree().call('pr_show', { pr_number: number })).scheduled?.how === 'queue',
        { limit: LIMIT },
      )
      github().setCheck(sha, { name: 'build', conclusion: 'success' })
      const [merged] = await event('pr.merged', number)
      expect(merged.payload).toMatchObject({ external: false, scheduled: true })
      expect(await events('pr.unscheduled', number)).toEqual([])
    })
  },
)

it(
  'the local forge has no auto-merge, says so, and merges at once where nothing stands against it (20.18)',
  { timeout: 120_000 },
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'exomonad-auto-'))
    const go = join(folder, 'go')
    const tree = await startExomonad({
      config: `[forge.local]\nci = ["sh", "-c", "until test -e ${go}; do sleep 0.05; done"]\n`,
    })
    try {
      const number = await filed(tree, 'one')
      const error = await tree.refusal('merge_pr', { pr_number: number, when_ready: true })
      expect(error).toMatchObject({
        code: 'CHECKS_FAILED',
        error: expect.stringMatching(
          /The local forge has no auto-merge \(.+\): merge it when a message says that it is ready\.$/,
        ),
      })
      writeFileSync(go, '')
      await waitFor(
        'its checks to pass',
        async () => (await tree.call('pr_show', { pr_number: number })).checks === 'passed',
        { limit: LIMIT },
      )
      expect(await tree.call('merge_pr', { pr_number: number, when_ready: true })).toMatchObject({
        merged: true,
      })
    } finally {
      await tree.stop()
      rmSync(folder, { recursive: true, force: true })
    }
  },
)
