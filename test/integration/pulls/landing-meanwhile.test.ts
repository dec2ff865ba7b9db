import { describe, expect, it } from 'vitest'
import { ExomonadError } from '../../../src/domain/errors.ts'
import type { BranchName } from '../../../src/domain/ids.ts'
import { HOLD, LEAD } from '../../helpers/landing-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { expectTipsChecked, landings, subjects } from './landings.ts'

/** What is pushed, reviewed and merged while a result is checked: only what was asked for lands. */

describe('landing, while something else happens', () => {
  it('gives up what got new commits, a change request or a conflict meanwhile; the others land', async () => {
    const tree = await landings({}, HOLD)
    const names = ['a', 'moved', 'requested', 'clash', 'b']
    const numbers = new Map<string, number>()
    for (const name of names)
      numbers.set(
        name,
        await tree.open(
          name,
          name === 'clash' || name === 'a' ? { 'shared.txt': name } : { [`${name}.txt`]: name },
        ),
      )
    for (const number of numbers.values()) await tree.checked(number)
    await tree.merge(numbers.get('a')!)
    tree.hold(true)
    for (const name of ['moved', 'requested', 'b']) await tree.merge(numbers.get(name)!)
    await tree.push('moved', { 'more.txt': 'x' })
    await tree.forge.review({
      number: numbers.get('requested')!,
      author: LEAD,
      state: 'changes_requested',
      body: 'No.',
      comments: [],
    })
    tree.hold(false)
    await tree.landed()
    const states = await Promise.all(
      names.map(async (name) => (await tree.look(numbers.get(name)!)).state),
    )
    expect(states).toEqual(['merged', 'open', 'open', 'open', 'merged'])
    const stopped = await tree.events('landing.stopped')
    expect(stopped.map(({ payload }) => [payload.number, payload.reason]).toSorted()).toEqual(
      [
        [numbers.get('moved'), expect.stringContaining('new commits')],
        [numbers.get('requested'), expect.stringContaining('changes were requested')],
      ].toSorted(),
    )
    // The lead was promised to be notified of it.
    const delivered = (await tree.delivered(LEAD)).filter((text) => text.startsWith('[NOT LANDED]'))
    for (const name of ['moved', 'requested'])
      expect(delivered.filter((text) => text.includes(`#${numbers.get(name)} `))).toHaveLength(1)
    await expect(tree.merge(numbers.get('clash')!)).rejects.toMatchObject({
      code: 'PR_NOT_MERGEABLE',
    })
  })

  it('lands nothing that was pushed while its result was checked, and what waits behind it', async () => {
    const tree = await landings({}, HOLD)
    const [a, b, moved] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('b', { 'b.txt': 'b' }),
      await tree.open('moved', { 'moved.txt': 'm' }),
    ]
    for (const number of [a, b, moved]) await tree.checked(number)
    await tree.merge(a)
    tree.hold(true)
    await tree.merge(moved)
    await waitFor(
      'its result to be checked',
      async () => (await tree.store.journal.open())[0]?.step === 'checking',
      { limit: 60_000 },
    )
    await tree.merge(b)
    await tree.push('moved', { 'more.txt': 'x' })
    tree.hold(false)
    await tree.landed()
    expect((await tree.look(moved)).state).toBe('open')
    expect((await tree.look(b)).state).toBe('merged')
    expect(await subjects(tree)).not.toContain(`Title of moved (#${moved})`)
    expect(await tree.events('landing.stopped')).toMatchObject([
      { payload: { number: moved, reason: expect.stringContaining('new commits') } },
    ])
    await expectTipsChecked(tree)
  })

  it('merges nothing into a base that it was pointed to after its merge was allowed', async () => {
    const tree = await landings()
    const number = await tree.open('a', { 'a.txt': 'a' })
    const main = (await tree.git.remoteTip(tree.remote, 'main' as BranchName))!
    await tree.git.push(tree.remote, { sha: main, branch: 'lead' as BranchName, expected: null })
    await tree.forge.retarget(number, 'lead' as BranchName)
    const { journal } = tree.store
    const { step } = journal
    journal.step = async (id, name, data) => {
      if (name === 'retarget') await tree.forge.retarget(number, 'main' as BranchName)
      await step(id, name, data)
    }
    await expect(tree.merge(number, { as: 'human', force: true })).rejects.toMatchObject({
      code: 'PR_NOT_MERGEABLE',
      message: expect.stringContaining('it goes to main now'),
    })
    expect(await tree.look(number)).toMatchObject({ state: 'open', base: { branch: 'main' } })
    expect(await tree.tips()).toEqual([])
    expect(await tree.store.journal.open()).toEqual([])
  })

  it.each([
    ['by itself', { force: true }],
    ['with what was checked', { force: false }],
  ])(
    'takes only what was merged for merged where the answer was lost and more was pushed meanwhile: %s',
    async (_, { force }) => {
      const lost = new ExomonadError('FORGE_UNAVAILABLE', 'the remote is away')
      let cutting = false
      let away = false
      const tree = await landings({
        config: { merge: { check_result: 'always' } },
        withGit: ({ push, remoteTip }) => ({
          push: async (remote, options) => {
            const pushed = await push(remote, options)
            if (!cutting || options.branch !== 'main') return pushed
            away = true
            throw lost
          },
          remoteTip: async (...args) => {
            if (away) throw lost
            return remoteTip(...args)
          },
        }),
      })
      const number = await tree.open('a', { 'a.txt': 'a' })
      const { head } = await tree.checked(number)
      cutting = true
      const merged = tree.merge(number, { as: 'human', force })
      // A landing is answered before that.
      expect(await merged.catch((thrown: unknown) => thrown)).toEqual(
        force ? lost : expect.objectContaining({ state: 'landing' }),
      )
      await waitFor('the merge to be left open', () => tree.merging.stuck.size === 1)
      away = cutting = false
      const next = await tree.push('a', { 'more.txt': 'x' })
      expect(await tree.look(number)).toMatchObject({ state: 'open', head: { sha: next } })

      const [entry] = await tree.store.journal.open()
      expect(await tree.merging.settle(entry!)).toBe('done')
      expect(await tree.look(number)).toMatchObject({ state: 'merged', mergedHead: head.sha })
      expect(await tree.store.agents.get(tree.agent('a'))).toMatchObject({ forkPoint: head.sha })
    },
  )

  it('lands although there is always another about to be fixed', async () => {
    const tree = await landings({}, HOLD)
    const [a, b, busy] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('b', { 'b.txt': 'b' }),
      await tree.open('busy', { 'busy.txt': '0' }),
    ]
    for (const number of [a, b, busy]) await tree.checked(number)
    tree.hold(true)
    await tree.merge(a)
    await tree.merge(b)
    // It waits for others for as long as twelve checks take, which is a minute on a busy machine.
    const until = performance.now() + 150_000
    let reviews = 0
    while ((await tree.look(b)).state === 'open' && performance.now() < until) {
      await tree.forge.review({
        number: busy,
        author: LEAD,
        state: 'changes_requested',
        body: String(++reviews),
        comments: [],
      })
      await tree.poll(busy)
      // It does not land before there were a few.
      if (reviews === 4) tree.hold(false)
    }
    expect((await tree.look(b)).state).toBe('merged')
  })

  it('checks anew what the base moved under meanwhile, forward or back: what was taken out of it stays out', async () => {
    const tree = await landings({}, HOLD)
    const [a, b, c] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('b', { 'b.txt': 'b' }),
      await tree.open('c', { 'c.txt': 'c' }),
    ]
    for (const number of [a, b, c]) await tree.checked(number)
    const main = 'main' as never
    const first = (await tree.git.remoteTip(tree.remote, main))!
    await tree.merge(a)
    const withA = (await tree.git.remoteTip(tree.remote, main))!
    const meanwhile = async (number: number, sha: string, expected: string): Promise<void> => {
      tree.hold(true)
      await tree.merge(number)
      await waitFor(
        'its result to be checked',
        async () => (await tree.store.journal.open())[0]?.step === 'checking',
        { limit: 60_000 },
      )
      await tree.repository.gitIn(tree.paths.origin, 'update-ref', 'refs/heads/main', sha, expected)
      tree.hold(false)
      await tree.landed()
      expect((await tree.look(number)).state).toBe('merged')
    }
    const other = (
      await tree.repository.gitIn(
        tree.paths.origin,
        'commit-tree',
        `${withA}^{tree}`,
        '-p',
        withA,
        '-m',
        'By hand',
      )
    ).trim()
    await meanwhile(b, other, withA)
    expect(await subjects(tree)).toEqual([
      `Title of b (#${b})`,
      'By hand',
      `Title of a (#${a})`,
      expect.any(String),
    ])
    await meanwhile(c, first, (await tree.git.remoteTip(tree.remote, main))!)
    expect(await subjects(tree)).toEqual([`Title of c (#${c})`, expect.any(String)])
  })
})
