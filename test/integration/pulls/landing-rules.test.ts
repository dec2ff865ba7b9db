import { describe, expect, it } from 'vitest'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { HOLD, LEAD } from '../../helpers/landing-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'
import { landings, PAIRS, subjects } from './landings.ts'

/** What is not checked, what is forced, and what the base is checked for then. */

describe('landing by the rules', () => {
  it('lands without a check where that is off, or nothing overlaps; the base is checked then, and its owner notified where it is red', async () => {
    // With a second place what comes while a run is held would be run there on a slow machine.
    const tree = await landings(
      { parallel: 1, config: { merge: { check_result: 'off' } } },
      `${HOLD}; ${PAIRS}`,
    )
    const [a, left, right, late] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('left', { 'pair-1-a': '' }),
      await tree.open('right', { 'pair-1-b': '' }),
      await tree.open('late', { 'late.txt': '' }),
    ]
    const first = await tree.open('first', { 'first.txt': '' })
    const group = [
      await tree.open('one', { 'one.txt': '' }),
      await tree.open('two', { 'two.txt': '' }),
      await tree.open('three', { 'three.txt': '' }),
    ]
    for (const number of [a, left, right, late, first, ...group]) await tree.checked(number)
    for (const number of [a, left, right])
      expect(await tree.merge(number)).toMatchObject({ merged: true })
    const red = await waitFor(
      'the red base to be reported',
      async () => (await tree.delivered(LEAD)).find((text) => text.startsWith('[BASE RED]')),
      { limit: 60_000 },
    )
    expect(red).toContain(`#${right} `)
    expect(red).toContain('pair-1-a and pair-1-b')
    const [event] = await tree.events('base.red')
    expect(event?.payload.since.map(({ number }: any) => number)).toContain(right)
    // Nothing that is red because of its base is blamed for it.
    const other = await tree.open('other', { 'other.txt': 'x' })
    expect((await tree.checked(other)).checks).toMatchObject([
      { status: 'failed', logTail: expect.stringContaining('red without') },
    ])
    tree.config = { ...tree.config, merge: { ...tree.config.merge, check_result: 'always' } }
    await expect(tree.merge(late, { wait: true })).rejects.toMatchObject({
      code: 'CHECKS_FAILED',
      facts: { base_red: true },
    })
    // Else a run of that search is what is held below.
    await waitFor(
      'what it is red with to be found',
      async () =>
        (await tree.events('landing.culprit')).some(({ payload }) => payload.number === other),
      { limit: 60_000 },
    )
    // Of several that are red with it, none is searched for what makes it so.
    const before = tree.runs().length
    // What comes while one runs is run together after it.
    tree.hold(true)
    await tree.merge(first)
    await waitFor('its run to begin', async () =>
      (await tree.store.journal.open()).some(({ step }) => step === 'checking'),
    )
    await Promise.all(group.map((number) => tree.merge(number)))
    tree.hold(false)
    await tree.landed()
    const delivered = (await tree.events('landing.red')).filter(({ payload }) =>
      group.includes(payload.number),
    )
    expect(delivered.map(({ payload }) => payload.base_red)).toEqual([true, true, true])
    expect(tree.runs().length - before).toBe(2)
    expect((await tree.events('base.red')).length).toBe(1)
  })

  it('checks only results whose files overlap where that is configured', async () => {
    const tree = await landings({
      config: { merge: { check_result: 'if_overlapping' } },
      files: { 'shared.txt': '1\n2\n3\n4\n5\n6\n7\n8\n9\n' },
    })
    const one = await tree.open('one', { 'shared.txt': 'one\n2\n3\n4\n5\n6\n7\n8\n9\n' })
    const two = await tree.open('two', { 'shared.txt': '1\n2\n3\n4\n5\n6\n7\n8\ntwo\n' })
    const apart = await tree.open('apart', { 'apart.txt': 'x' })
    for (const number of [one, two, apart]) await tree.checked(number)
    expect(await tree.merge(one)).toMatchObject({ state: 'merged' })
    expect(await tree.merge(apart)).toMatchObject({ state: 'merged' })
    expect(await tree.merge(two)).toMatchObject({ state: 'landing' })
    await tree.landed()
    expect(await tree.look(two)).toMatchObject({ state: 'merged' })
  })

  it('runs nothing that is not trusted any more: it waits until it is', async () => {
    let trusted = true
    let refused = 0
    const tree = await landings(
      {
        trusted: async () => {
          if (!trusted) refused += 1
          if (!trusted) throw new ExomonadError('UNTRUSTED_CONFIG', 'Run `exomonad trust`.')
        },
        parallel: 1,
      },
      `if test -e slow.txt; then ${HOLD}; fi`,
    )
    const [a, b] = [await tree.open('a', { 'a.txt': 'a' }), await tree.open('b', { 'b.txt': 'b' })]
    for (const number of [a, b]) await tree.checked(number)
    await tree.merge(a)
    // While it waits for the only place, somebody pulls another configuration.
    tree.hold(true)
    await tree.open('slow', { 'slow.txt': '' })
    expect(await tree.merge(b)).toMatchObject({ state: 'landing' })
    trusted = false
    tree.hold(false)
    await waitFor('the other to be done', async () => tree.runs().length === 3)
    const before = refused
    await waitFor('it to have been tried again', async () => refused >= before + 2, {
      limit: 60_000,
    })
    expect(tree.runs()).toHaveLength(3)
    expect(await tree.look(b)).toMatchObject({ state: 'open' })
    trusted = true
    await tree.landed()
    expect(await tree.look(b)).toMatchObject({ state: 'merged' })
    expect(tree.runs()).toHaveLength(4)
  })

  it('forced past its checks lands at once, and the base is checked', async () => {
    const tree = await landings()
    const bad = await tree.open('bad', { 'bad.txt': 'x' })
    expect(await tree.checked(bad)).toMatchObject({ checksState: 'failed' })
    await expect(tree.merge(bad)).rejects.toMatchObject({ code: 'CHECKS_FAILED' })
    expect(await tree.merge(bad, { as: 'human', force: true })).toMatchObject({ merged: true })
    await waitFor(
      'the red base to be reported',
      async () => (await tree.delivered(LEAD)).some((text) => text.startsWith('[BASE RED]')),
      { limit: 60_000 },
    )
  })

  it('goes on with one whose force was refused: a conflict is never forced', async () => {
    const tree = await landings({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
    const [a, b, c] = [
      await tree.open('a', { 'a.txt': '' }),
      await tree.open('b', { 'shared.txt': 'b' }),
      await tree.open('c', { 'shared.txt': 'c' }),
    ]
    for (const number of [a, b, c]) await tree.checked(number)
    await tree.merge(a)
    tree.hold(true)
    await tree.open('slow', { 'slow.txt': '' })
    expect(await tree.merge(b)).toMatchObject({ state: 'landing' })
    expect(await tree.merge(c, { as: 'human', force: true })).toMatchObject({ merged: true })
    await expect(tree.merge(b, { as: 'human', force: true })).rejects.toMatchObject({
      code: 'PR_NOT_MERGEABLE',
    })
    expect(await tree.store.journal.open()).toMatchObject([{ data: { number: b } }])
    tree.hold(false)
    await tree.landed()
    expect((await tree.events('landing.stopped')).map(({ payload }) => payload.number)).toEqual([b])
  })

  it('names all that landed unchecked, where the base was never found green', async () => {
    const tree = await landings(
      {},
      'for file in bad-*; do if test -e "$file"; then exit 1; fi; done',
    )
    const numbers = [
      await tree.open('left', { 'bad-1': '' }),
      await tree.open('right', { 'bad-2': '' }),
    ]
    for (const [index, number] of numbers.entries()) {
      await tree.checked(number)
      await tree.merge(number, { as: 'human', force: true })
      const red = await waitFor(
        'the red base to be reported',
        async () => (await tree.events('base.red'))[index],
        { limit: 60_000 },
      )
      expect(red['payload'].since.map((since: any) => since.number).toSorted()).toEqual(
        numbers.slice(0, index + 1),
      )
    }
  })

  it('checks a base to which somebody pushed a pull request by hand', async () => {
    const tree = await landings()
    const bad = await tree.open('bad', { 'bad.txt': 'x' })
    await tree.checked(bad)
    const { head } = await tree.look(bad)
    await tree.git.push(tree.remote, { sha: head.sha, branch: 'main' as never })
    await waitFor('the merge to be seen', async () => (await tree.look(bad)).state === 'merged')
    await tree.forge.ensureChecks(bad)
    await waitFor(
      'the red base to be reported',
      async () => (await tree.delivered(LEAD)).some((text) => text.startsWith('[BASE RED]')),
      { limit: 60_000 },
    )
  })

  it(
    verifies('R004-10', 'follows a rebase of exomonad’s own; others’ commits are named'),
    async () => {
      const tree = await landings()
      const a = await tree.open('a', { 'a.txt': 'a' })
      await tree.checked(a)
      const { head } = await tree.look(a)
      const next = await tree.push('a', { 'more.txt': 'x' })
      await waitFor('the new head', async () => (await tree.look(a)).head.sha === next)
      await tree.checked(a)
      await expect(tree.merge(a, { head: head.sha })).rejects.toMatchObject({
        code: 'HEAD_CHANGED',
        message: expect.stringContaining('Change more.txt (Test Person)'),
      })
      expect(await tree.merge(a, { head: next })).toMatchObject({ merged: true })
      expect(await subjects(tree)).toContain('Title of a (#1)')
    },
  )
})
