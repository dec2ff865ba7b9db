import { describe, expect, it } from 'vitest'
import type { Actor, Sha } from '../../../../src/domain/ids.ts'
import type { GithubForgeFixture } from '../../../helpers/github/github-forge.ts'
import { startWriting, name } from '../../../helpers/github/github-writing.ts'

const snapshotOf = async ({ forge }: Pick<GithubForgeFixture, 'forge'>, number: number) => {
  const [read] = await forge.snapshots([number])
  if (read === undefined || !('snapshot' in read)) throw new Error(JSON.stringify(read))
  return read.snapshot
}

describe('landing by a push on GitHub', () => {
  it('is for bases that ask nothing of whoever pushes, also of one that they let pass', async () => {
    let now = Date.now()
    const { forge, github } = await startWriting({ clock: () => now })
    const { repository, rulesets } = github.state
    const isFree = () => forge.pushes!.isFree(name('main'))
    expect(await isFree()).toBe(true)
    github.addRuleset({ rules: [{ type: 'deletion' }, { type: 'non_fast_forward' }] })
    expect(await isFree()).toBe(true)
    for (const type of [
      'update',
      'pull_request',
      'required_status_checks',
      'required_signatures',
      'required_linear_history',
      'merge_queue',
      'what_comes_next_year',
    ]) {
      github.addRuleset({ rules: [{ type }] }).bypass.push('robot')
      expect([type, await isFree()]).toEqual([type, false])
      rulesets.pop()
    }
    repository.requiredChecks.set('main', ['ci'])
    expect(await isFree()).toBe(false)
    repository.requiredChecks.clear()
    // GraphQL shows it to nobody who may pass it.
    repository.otherRules.set('main', { passed: true })
    expect(await isFree()).toBe(false)
    repository.otherRules.clear()
    github.addMergeQueue('main')
    expect(await isFree()).toBe(false)
    repository.mergeQueues.clear()
    expect(await isFree()).toBe(true)
    for (const what of [/rules\/branches/, /branches\/main$/, /MergeSettings/]) {
      github.fail(what, { kind: 'status', status: 403 }, 9)
      expect([what, await isFree()]).toEqual([what, false])
      github.heal()
    }
    expect(await forge.pushes!.isFree(name('not-there'))).toBe(false)
    // A hook of the server, of which nothing is shown.
    forge.pushes!.refused(name('main'))
    expect(await isFree()).toBe(false)
    now += 3_700_000
    expect(await isFree()).toBe(true)
  })

  it('is a merge from then on, also where GitHub sees it later, and once it has, as ours', async () => {
    const world = await startWriting()
    const { forge, github, git, remote, grown, grow } = world
    const { head, number } = await grown('main.a')
    const base = (await git.resolve('main'))!
    const merged = await git.mergeTree(base, head)
    if (merged.kind !== 'clean') throw new Error(merged.kind)
    const sha = await git.commitTree({ tree: merged.tree, parents: [base, head], message: 'A' })
    github.state.repository.marksLate = true
    const by = 'human' as Actor
    const asked = { number, prepared: sha, by }
    expect(await forge.settleMerge(asked)).toEqual({ kind: 'not_merged' })
    await git.push(remote, { sha, branch: name('main'), expected: base })
    const later = await grow('later', { 'later.txt': 'x\n' }, sha)
    expect(await snapshotOf(world, number)).toMatchObject({ state: 'open' })

    // As after a daemon that ended right after its push.
    expect(await forge.settleMerge(asked)).toEqual({ kind: 'merged', sha, head })
    const ours = { state: 'merged', mergeSha: sha, mergedHead: head, mergedBy: by }
    expect(github.pull(number)).toMatchObject({ state: 'open' })
    expect(await snapshotOf(world, number)).toMatchObject(ours)
    expect(await forge.pushes!.isMarked(number)).toBe(false)

    // Whatever GitHub calls the commit and whoever merged.
    github.state.repository.marksLate = false
    await github.push('main', later, { by: 'octo' })
    expect(github.pull(number)).toMatchObject({ merged: true, mergedBy: 'octo' })
    expect(await snapshotOf(world, number)).toMatchObject(ours)
    expect(await snapshotOf(world, number)).not.toHaveProperty('mergedByOther')
    expect(await forge.pushes!.isMarked(number)).toBe(true)
  })

  it('is none of a head that moved on, nor of one that came to nothing', async () => {
    const world = await startWriting()
    const { forge, github, git, remote, grown, grow } = world
    const { head, number } = await grown('main.a')
    const other = await grown('main.b')
    const base = (await git.resolve('main'))!
    github.state.repository.marksLate = true
    await git.push(remote, { sha: head, branch: name('main'), expected: base })
    const by = 'human' as Actor
    const next = await grow('main.a', { 'more.txt': 'x\n' })
    // What landed is what was in it then; the rest is still open.
    expect(await forge.settleMerge({ number, prepared: head, by })).toEqual({
      kind: 'merged',
      sha: head,
      head,
    })
    expect(await snapshotOf(world, number)).toMatchObject({ state: 'open', head: { sha: next } })
    for (const prepared of [other.head, 'a'.repeat(40) as Sha])
      expect(await forge.settleMerge({ number: other.number, prepared, by })).toEqual({
        kind: 'not_merged',
      })
    expect(await snapshotOf(world, other.number)).toMatchObject({ state: 'open' })
  })
})
