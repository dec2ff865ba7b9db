import { describe, expect, it } from 'vitest'
import { HOLD, LEAD } from '../../helpers/landing-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { expectTipsChecked, landings, subjects, PAIRS } from './landings.ts'

/** What was checked is what lands: the queue of landings. */

describe('landing', () => {
  it('takes one configuration for a merge, that which it begins with', async () => {
    const tree = await landings()
    const number = await tree.open('a', { 'a.txt': 'a' })
    await tree.checked(number)
    const before = tree.snapshots()
    expect(await tree.merge(number)).toMatchObject({ merged: true })
    expect(tree.snapshots() - before).toBe(1)
  })

  it('merges at once what was checked on the base as it is, in no further run', async () => {
    const tree = await landings()
    const number = await tree.open('a', { 'a.txt': 'a' })
    await tree.checked(number)
    expect(await tree.merge(number)).toMatchObject({
      merged: true,
      state: 'merged',
      local_synced: true,
    })
    expect(tree.runs()).toHaveLength(1)
    await expectTipsChecked(tree)
  })

  it('checks the result first where the base has moved, and several together in one run', async () => {
    const tree = await landings({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
    const numbers: number[] = []
    for (const name of ['a', 'b', 'c', 'd'])
      numbers.push(await tree.open(name, { [`${name}.txt`]: name }))
    for (const number of numbers) await tree.checked(number)
    expect(await tree.merge(numbers[0]!)).toMatchObject({ state: 'merged' })
    // It has the only place for a while.
    tree.hold(true)
    const slow = await tree.open('slow', { 'slow.txt': '' })
    const rest = await Promise.all(numbers.slice(1).map((number) => tree.merge(number)))
    expect(rest.map(({ merged, state, sha }) => [merged, state, sha])).toEqual(
      [1, 2, 3].map(() => [false, 'landing', null]),
    )
    tree.hold(false)
    await tree.landed()
    for (const number of numbers) expect(await tree.look(number)).toMatchObject({ state: 'merged' })
    expect(await tree.look(slow)).toMatchObject({ checksState: 'passed' })
    expect(tree.runs()).toHaveLength(6)
    await expectTipsChecked(tree)
    // One move of the base for all that were checked together.
    expect(await tree.tips()).toHaveLength(2)
    // The lead is notified once of all of them; of the one that it merged itself it was not.
    const delivered = await waitFor('the lead to be notified', async () =>
      (await tree.delivered(LEAD)).find((text) => text.startsWith('[LANDED]')),
    )
    for (const number of numbers.slice(1)) expect(delivered).toContain(`#${number}`)
    expect(delivered).not.toContain(`#${numbers[0]} `)
    expect((await tree.delivered(LEAD)).filter((text) => text.startsWith('[LANDED]'))).toHaveLength(
      1,
    )
  })

  it('takes a red group apart: all but one land, owner and lead are notified which two are red together', async () => {
    const tree = await landings()
    const numbers = new Map<string, number>()
    for (const name of ['a', 'left', 'b', 'right', 'c']) {
      const file = name === 'left' ? 'pair-1-a' : name === 'right' ? 'pair-1-b' : `${name}.txt`
      numbers.set(name, await tree.open(name, { [file]: name }))
    }
    for (const number of numbers.values())
      expect(await tree.checked(number)).toMatchObject({ checksState: 'passed' })
    for (const number of numbers.values()) await tree.merge(number)
    await tree.landed()
    const right = numbers.get('right')!
    for (const [name, number] of numbers)
      expect([name, (await tree.look(number)).state]).toEqual([
        name,
        name === 'right' ? 'open' : 'merged',
      ])
    await expectTipsChecked(tree)
    for (const who of [LEAD, tree.agent('right')]) {
      const red = await waitFor('the red result to be reported', async () =>
        (await tree.delivered(who)).find((text) => text.startsWith('[LANDING RED]')),
      )
      expect(red).toContain(`#${right} `)
      expect(red).toContain('pair-1-a and pair-1-b')
      expect(red).toContain(`#${numbers.get('left')} `)
      // By the same message where both were in one group, else by a second one.
      const both = (text: string): boolean =>
        /green apart and red together/.test(text) &&
        text.includes(`#${right} `) &&
        text.includes(`#${numbers.get('left')} `)
      await waitFor('the pair to be reported', async () => (await tree.delivered(who)).some(both), {
        limit: 60_000,
      })
      expect((await tree.delivered(who)).filter((text) => text.startsWith('[CI FAILED]'))).toEqual(
        [],
      )
    }
    // Asked again without a change it is refused at once: its files are known to be red.
    expect(await tree.look(right)).toMatchObject({ checksState: 'failed' })
    const before = tree.runs().length
    await expect(tree.merge(right)).rejects.toMatchObject({ code: 'CHECKS_FAILED' })
    expect(tree.runs()).toHaveLength(before)
  })

  it('waits where it is asked to, and returns the merge, or what makes it red', async () => {
    const tree = await landings()
    const [a, left, right] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('left', { 'pair-1-a': '' }),
      await tree.open('right', { 'pair-1-b': '' }),
    ]
    for (const number of [a, left, right]) await tree.checked(number)
    await tree.merge(a)
    expect(await tree.merge(left, { wait: true })).toMatchObject({ merged: true, state: 'merged' })
    await expect(tree.merge(right, { wait: true })).rejects.toMatchObject({
      code: 'CHECKS_FAILED',
      facts: { between: [{ number: a }, { number: left }] },
    })
    // Which of the two that came in between it was is found out after that.
    const pair = await waitFor(
      'the pair to be reported',
      async () => (await tree.delivered(LEAD)).find((text) => text.startsWith('[RED TOGETHER]')),
      { limit: 60_000 },
    )
    expect(pair).toContain(`#${right} `)
    expect(pair).toContain(`#${left} `)
    expect(pair).not.toContain(`#${a} `)
    // Who waited has it from that; the owner is notified.
    await waitFor('the owner to be notified', async () =>
      (await tree.delivered(tree.agent('right'))).some((text) => text.startsWith('[LANDING RED]')),
    )
    expect(
      (await tree.delivered(LEAD)).filter((text) => /^\[(LANDED|LANDING RED)\]/.test(text)),
    ).toEqual([])
  })

  it('goes on where the caller that waited goes away', async () => {
    const tree = await landings({}, HOLD)
    const [a, b] = [await tree.open('a', { 'a.txt': 'a' }), await tree.open('b', { 'b.txt': 'b' })]
    for (const number of [a, b]) await tree.checked(number)
    await tree.merge(a)
    tree.hold(true)
    const gone = new AbortController()
    const waiting = tree.merge(b, { wait: true, signal: gone.signal })
    await waitFor('it to wait', async () => (await tree.store.journal.open()).length === 1)
    gone.abort()
    expect(await waiting).toMatchObject({ state: 'landing' })
    tree.hold(false)
    await tree.landed()
    expect(await tree.look(b)).toMatchObject({ state: 'merged' })
    await waitFor('the lead to be notified', async () =>
      (await tree.delivered(LEAD)).some((text) => text.startsWith('[LANDED]')),
    )
  })

  it('lands a good one that conflicts only with a red one of its group, and reports none as not landing', async () => {
    const tree = await landings({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi; ${PAIRS}`)
    const numbers = new Map<string, number>()
    for (const [name, files] of Object.entries({
      left: { 'pair-1-a': '' },
      first: { 'a.txt': '' },
      // Red with `left`, and in the way of the last.
      right: { 'pair-1-b': '', 'shared.txt': 'right' },
      good: { 'shared.txt': 'good' },
    }))
      numbers.set(name, await tree.open(name, files))
    for (const number of numbers.values()) await tree.checked(number)
    await tree.merge(numbers.get('first')!)
    await tree.merge(numbers.get('left')!)
    await tree.landed()
    // Another has the only place until both are in one group.
    tree.hold(true)
    await tree.open('slow', { 'slow.txt': '' })
    for (const name of ['right', 'good']) await tree.merge(numbers.get(name)!)
    tree.hold(false)
    await tree.landed()
    const states = await Promise.all(
      [...numbers].map(async ([name, number]) => [name, (await tree.look(number)).state]),
    )
    expect(Object.fromEntries(states)).toEqual({
      left: 'merged',
      first: 'merged',
      right: 'open',
      good: 'merged',
    })
    expect(await tree.events('landing.stopped')).toEqual([])
    await expectTipsChecked(tree)
  })

  it('waits for one that is landing already where that is asked for, and a person may force it meanwhile', async () => {
    const tree = await landings({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
    const [a, b, c, d] = [
      await tree.open('a', { 'a.txt': '' }),
      await tree.open('b', { 'b.txt': '' }),
      await tree.open('c', { 'c.txt': '' }),
      await tree.open('d', { 'd.txt': '' }),
    ]
    for (const number of [a, b, c, d]) await tree.checked(number)
    await tree.merge(a)
    tree.hold(true)
    // It has the only place.
    await tree.open('slow', { 'slow.txt': '' })
    expect(await tree.merge(b)).toMatchObject({ state: 'landing' })
    expect(await tree.merge(c)).toMatchObject({ state: 'landing' })
    expect(await tree.merge(d)).toMatchObject({ state: 'landing' })
    // Whoever asks once it is merged is told just that.
    const joined = new Set<number>()
    const wait = (number: number, as?: 'human') =>
      tree.merge(number, { wait: true, progress: () => joined.add(number), ...(as && { as }) })
    const waiting = [wait(b), wait(c)]
    const looking = wait(d, 'human')
    const refused = waiting[1]?.catch((error: unknown) => error)
    await waitFor('all to wait', () => joined.size === 3)
    expect(await tree.store.journal.open()).toHaveLength(3)
    expect(await tree.merge(c, { as: 'human', force: true })).toMatchObject({
      merged: true,
      state: 'merged',
    })
    expect(await refused).toMatchObject({ code: 'PR_NOT_MERGEABLE' })
    tree.hold(false)
    expect(await waiting[0]).toMatchObject({ merged: true, state: 'merged' })
    expect(await looking).toMatchObject({ merged: true, state: 'merged' })
    await tree.landed()
    for (const number of [a, b, c, d])
      expect(await tree.look(number)).toMatchObject({ state: 'merged' })
    // The lead, who asked for it, is notified, although a person waited for the same.
    await waitFor('the lead to be notified', async () =>
      (await tree.delivered(LEAD)).some(
        (text) => text.startsWith('[LANDED]') && text.includes(`#${d} `),
      ),
    )
    // Each once.
    for (const name of ['a', 'b', 'c', 'd'])
      expect(
        (await subjects(tree)).filter((line) => line.includes(`Title of ${name}`)),
      ).toHaveLength(1)
  })

  it.each(['at once', 'after its check'])(
    'notifies whoever waited for it after a kill in the middle of the landing, %s',
    async (by) => {
      const tree = await landings()
      const [a, b, c] = [
        await tree.open('a', { 'a.txt': '' }),
        await tree.open('b', { 'b.txt': '' }),
        await tree.open('c', { 'c.txt': '' }),
      ]
      for (const number of [a, b, c]) await tree.checked(number)
      if (by === 'after its check') await tree.merge(a)
      // As a daemon left it that pushed and was killed: the caller that waited is gone.
      const { pulls } = tree.store
      const { update } = pulls
      pulls.update = async (number, patch) => {
        if (patch.state === 'merged') throw new Error('killed')
        return update(number, patch)
      }
      expect(await tree.merge(b, { wait: true })).toMatchObject({ state: 'landing' })
      pulls.update = update
      // What is queued after it lands; it itself is settled first, and not landed again.
      await tree.merge(c)
      await waitFor('the next to land', async () => (await tree.look(c)).state === 'merged')
      await tree.restart()
      await tree.landed()
      expect(await tree.look(b)).toMatchObject({ state: 'merged' })
      await waitFor('the lead to be notified', async () =>
        (await tree.delivered(LEAD)).some(
          (text) => text.startsWith('[LANDED]') && text.includes(`#${b} `),
        ),
      )
      expect((await subjects(tree)).filter((line) => line.includes('Title of b'))).toHaveLength(1)
    },
  )
})
