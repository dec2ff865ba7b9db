import { describe, expect, it } from 'vitest'
import { HOLD, LEAD, type LandingWorld } from '../../helpers/landing-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { expectTipsChecked, landings, PAIRS } from './landings.ts'

/** The fold: what is open is checked together before anybody merges it. */

const world = (
  options: Parameters<typeof landings>[0] = {},
  script = PAIRS,
): Promise<LandingWorld> =>
  landings({ ...{ fold: true, parallel: 1 }, ...options }, `${HOLD}; ${script}`)

/**
 * So many, filed while the check of the first goes on; the files of each by its name. It goes on
 * until the fold waits for its place with more than one of the others, and so goes before them:
 * where they come one by one, as on a slow machine, it decides on them long after they came, and
 * each would be run by itself meanwhile.
 */
async function filed(
  tree: LandingWorld,
  names: readonly string[],
  fileOf: (name: string) => string = (name) => `${name}.txt`,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>()
  tree.hold(true)
  for (const name of names) numbers.set(name, await tree.open(name, { [fileOf(name)]: name }))
  if ((await tree.fold.show()).paused === null)
    await waitFor('the fold to wait for a place', async () => {
      const base = await chain(tree)
      return base?.state === 'waiting' && base.links.length > 2
    })
  tree.hold(false)
  return numbers
}

const chain = async (tree: LandingWorld) => (await tree.fold.show()).bases[0]
const green = (tree: LandingWorld, count: number) =>
  waitFor(
    'the fold to be green',
    async () => {
      const base = await chain(tree)
      return base?.state === 'green' && base.links.length === count ? base : undefined
    },
    { limit: 60_000 },
  )

const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']

describe('the fold', () => {
  it('checks those that come together in one run, which counts for each, and lands that very commit', async () => {
    const tree = await world()
    const numbers = [...(await filed(tree, NAMES)).values()]
    const base = await green(tree, NAMES.length)
    expect(base.links.map(({ number }) => number)).toEqual(numbers)
    for (const number of numbers)
      expect(await tree.checked(number)).toMatchObject({ checksState: 'passed' })
    // The first by itself, as nothing says that others are to come.
    expect(tree.runs()).toHaveLength(2)
    const before = tree.runs().length
    // On a slow machine each would be asked for long after the one before.
    tree.hold(true)
    for (const number of numbers) await tree.merge(number, { wait: false })
    tree.hold(false)
    await tree.landed()
    // At most those who were asked for alone for a while.
    expect(tree.runs().length - before).toBeLessThan(NAMES.length - 2)
    for (const number of numbers) expect(await tree.look(number)).toMatchObject({ state: 'merged' })
    await expectTipsChecked(tree)
    const landed = (await tree.events('fold.landed')).flatMap(({ payload }) =>
      payload.pulls.map(({ number }: any) => number),
    )
    expect(landed.toSorted()).toEqual(numbers)
    expect(await tree.events('fold.green')).not.toEqual([])
    expect(await tree.events('ci.failed')).toEqual([])
  })

  it('finds one that is red by itself, and goes on without it', async () => {
    const tree = await world()
    const numbers = await filed(tree, NAMES, (name) => (name === 'd' ? 'bad.txt' : `${name}.txt`))
    const bad = numbers.get('d')!
    expect(await tree.checked(bad)).toMatchObject({ checksState: 'failed' })
    const base = await green(tree, NAMES.length - 1)
    expect(base.links.map(({ number }) => number)).not.toContain(bad)
    const told = await waitFor('its agent to be notified', async () =>
      (await tree.delivered(tree.agent('d'))).find((text) => text.startsWith('[CI FAILED]')),
    )
    expect(told).toContain('it is bad')
    for (const [name, number] of numbers)
      if (name !== 'd') expect(await tree.checked(number)).toMatchObject({ checksState: 'passed' })
  })

  it('names a pair that is green apart to both and to the lead, before either lands', async () => {
    const tree = await world()
    const numbers = await filed(tree, NAMES, (name) =>
      name === 'b' ? 'pair-1-a' : name === 'e' ? 'pair-1-b' : `${name}.txt`,
    )
    const [left, right] = [numbers.get('b')!, numbers.get('e')!]
    const base = await green(tree, NAMES.length - 1)
    expect(base.ejected).toMatchObject([{ number: right, partner: { number: left } }])
    for (const who of [LEAD, tree.agent('b'), tree.agent('e')]) {
      const words = await waitFor('the pair to be reported', async () =>
        (await tree.delivered(who)).find((text) => text.startsWith('[RED TOGETHER]')),
      )
      expect(words).toContain(`#${left} `)
      expect(words).toContain(`#${right} `)
      expect(words).toContain('pair-1-a and pair-1-b')
    }
    const told = (await tree.delivered(LEAD)).filter((text) => text.startsWith('[RED TOGETHER]'))
    expect(told).toHaveLength(1)
    expect(await tree.fold.log(right)).toMatchObject({ state: 'failed' })

    // All are asked for all the same: what was found is not looked for again.
    const before = tree.runs().length
    tree.hold(true)
    for (const number of numbers.values()) await tree.merge(number, { wait: false })
    tree.hold(false)
    await tree.landed()
    for (const number of numbers.values())
      expect(await tree.look(number)).toMatchObject({ state: number === right ? 'open' : 'merged' })
    expect((await tree.events('landing.red')).map(({ payload }) => payload)).toMatchObject([
      { number: right, partner: { number: left } },
    ])
    expect(tree.runs().length - before).toBeLessThan(4)
    await expectTipsChecked(tree)
  })

  it('does not look again for what one is red with, where that has landed before the others', async () => {
    const tree = await world()
    const numbers = await filed(tree, NAMES, (name) =>
      name === 'b' ? 'pair-1-a' : name === 'e' ? 'pair-1-b' : `${name}.txt`,
    )
    await green(tree, NAMES.length - 1)
    const before = tree.runs().length
    tree.hold(true)
    const left = [...numbers]
    for (let isChecked = false; !isChecked;) {
      const [, number] = left.shift()!
      await tree.merge(number, { wait: false })
      // What is known as it is lands at once.
      await waitFor('it to land, or to be checked', async () => {
        const open = await tree.store.journal.open()
        isChecked = open.some(({ step }) => step === 'checking')
        return isChecked || open.length === 0
      })
    }
    // All others are asked for while that one is checked.
    expect(left.map(([name]) => name)).toEqual(expect.arrayContaining(['e', 'f']))
    for (const [, number] of left) await tree.merge(number, { wait: false })
    tree.hold(false)
    await tree.landed()
    expect((await tree.events('landing.red')).map(({ payload }) => payload)).toMatchObject([
      { number: numbers.get('e'), partner: { number: numbers.get('b') } },
    ])
    for (const name of ['c', 'd', 'f'])
      expect(await tree.look(numbers.get(name)!)).toMatchObject({ state: 'merged' })
    // That of the one which was asked for before the others.
    expect(tree.runs().length - before).toBeLessThan(2)
    await expectTipsChecked(tree)
  })

  it('names three that are green two by two to each of them, and lands the two that may', async () => {
    const trio = 'if test -e t1 && test -e t2 && test -e t3; then echo all three; exit 1; fi'
    const tree = await world({}, trio)
    const files: Readonly<Record<string, string>> = { a: 't1', c: 't2', d: 't3' }
    const numbers = await filed(tree, ['a', 'b', 'c', 'd'], (name) => files[name] ?? name)
    const three = ['a', 'c', 'd'].map((name) => numbers.get(name)!)
    const [first, second, out] = three
    const base = await green(tree, 3)
    expect(base.ejected).toMatchObject([
      { number: out, partner: { number: first }, others: [{ number: second }] },
    ])
    for (const who of [LEAD, ...['a', 'c', 'd'].map((name) => tree.agent(name))]) {
      const words = await waitFor('the three to be reported', async () =>
        (await tree.delivered(who)).find((text) => text.startsWith('[RED TOGETHER]')),
      )
      for (const number of three) expect(words).toContain(`#${number} `)
      expect(words).toContain('all three')
    }
    tree.hold(true)
    for (const number of numbers.values()) await tree.merge(number, { wait: false })
    tree.hold(false)
    await tree.landed()
    for (const number of numbers.values())
      expect(await tree.look(number)).toMatchObject({ state: number === out ? 'open' : 'merged' })
    await expectTipsChecked(tree)
  })

  it('counts what was red and then green as green, and says once that it is flaky', async () => {
    const tree = await world(
      {},
      // Red the first time that all of them are there.
      'if test -e a.txt && test -e b.txt && test -e c.txt && mkdir "$HELD.once" 2>/dev/null; then exit 1; fi',
    )
    await filed(tree, ['a', 'b', 'c'])
    await green(tree, 3)
    const flakes = await tree.events('fold.unexplained')
    expect(flakes.map(({ payload }) => payload.reason)).toEqual(['flaky'])
    expect(await tree.events('fold.red')).toEqual([])
  })

  it('lands what was approved by itself once it is green, where it may', async () => {
    const tree = await world({ config: { fold: { land: 'auto' } } })
    const numbers = [...(await filed(tree, ['a', 'b', 'c'])).values()]
    const review = (number: number) =>
      tree.forge.review({ number, author: LEAD, state: 'approved', body: '', comments: [] })
    await green(tree, 3)
    await review(numbers[0]!)
    await review(numbers[2]!)
    for (const number of numbers) await tree.poll(number)
    await waitFor(
      'the approved to have landed',
      async () => {
        const states = await Promise.all(numbers.map(async (one) => (await tree.look(one)).state))
        return states.join() === 'merged,open,merged'
      },
      { limit: 60_000 },
    )
    await tree.landed()
    await expectTipsChecked(tree)
    // As of what others merge: nobody asked for it, and whoever approved it has to know.
    for (const number of [numbers[0]!, numbers[2]!]) {
      const about = (text: string) => text.startsWith('[MERGED]') && text.includes(`#${number} `)
      await waitFor('the lead to be notified', async () => (await tree.delivered(LEAD)).some(about))
      expect((await tree.delivered(LEAD)).filter(about)).toHaveLength(1)
    }
    expect((await tree.events('pr.merged')).map(({ actor }) => actor)).toEqual(['daemon', 'daemon'])
    expect(await tree.events('landing.done')).toEqual([])
  })

  it('checks each by itself while it is paused, also after a restart, and goes on after that', async () => {
    const tree = await world()
    expect(
      await tree.fold.pause({ kind: 'human', agent: (await tree.store.agents.get(LEAD))! }),
    ).toMatchObject({ paused: { by: 'human' } })
    await tree.restart()
    expect(await tree.fold.show()).toMatchObject({ paused: { by: 'human' } })
    const numbers = [...(await filed(tree, ['a', 'b', 'c'])).values()]
    for (const number of numbers) await tree.checked(number)
    expect(tree.runs()).toHaveLength(3)
    expect(await chain(tree)).toBeUndefined()
    await tree.fold.resume()
    for (const number of numbers) await tree.poll(number)
    await tree.push('c', { 'c.txt': 'more' })
    await tree.poll(numbers[2]!)
    await green(tree, 3)
  })

  it('makes the chain anew after a restart, of what was checked before', async () => {
    const tree = await world()
    const numbers = [...(await filed(tree, ['a', 'b', 'c'])).values()]
    await green(tree, 3)
    for (const number of numbers) await tree.checked(number)
    const before = tree.runs().length
    await tree.restart()
    for (const number of numbers) await tree.merge(number)
    await tree.landed()
    await expectTipsChecked(tree)
    expect(tree.runs().length - before).toBeLessThan(2)
  })

  it('checks every commit by itself where that is asked for', async () => {
    const tree = await world({ config: { fold: { every_link: true } } })
    const numbers = [...(await filed(tree, ['a', 'b', 'c'])).values()]
    await green(tree, 3)
    for (const number of numbers) await tree.checked(number)
    for (const number of numbers) await tree.merge(number)
    await tree.landed()
    const tip = await tree.git.remoteTip(tree.remote, 'main' as never)
    const commits = (await tree.repository.git('log', '--first-parent', '--format=%T', String(tip)))
      .split('\n')
      .slice(0, -1)
    expect(commits).toHaveLength(3)
    const checked = new Set(tree.runs().flatMap((run) => (run.green ? [run.tree] : [])))
    for (const commit of commits) expect(checked).toContain(commit)
  })

  it('tells two who are still at work that they are red together, and interrupts nobody', async () => {
    const tree = await world({ config: { fold: { continuous: true } } })
    const left = await tree.open('left', { 'pair-1-a': '' })
    await tree.checked(left)
    await tree.unfiled('right', { 'pair-1-b': '' })
    const red = await waitFor('it to be foretold', async () => {
      const [event] = (await tree.events('fold.red')).filter(({ payload }) => payload.out === true)
      return event
    })
    expect(red.payload).toMatchObject({ filed: false, title: 'right', partner: { number: left } })
    for (const who of [LEAD, tree.agent('left'), tree.agent('right')])
      expect(await tree.reaches(who, 'fold.red')).toEqual(['carry'])
    expect(await tree.look(left)).toMatchObject({ checksState: 'passed' })
  })

  it('is told of the end of each check, and of one that is not run any more', async () => {
    const tree = await landings({ parallel: 1 }, 'true')
    const ended: string[] = []
    const waiting: string[] = []
    tree.forge.results!.defer({
      isDeferred: (_base, number) => number === 2,
      waits: (base) => void waiting.push(base),
      ended: (base) => void ended.push(base),
    })
    await tree.open('a', { 'a.txt': 'a' })
    await waitFor('the end of the first', () => ended.length === 1)
    const second = await tree.open('b', { 'b.txt': 'b' })
    await waitFor('the second to wait', () => waiting.length === 2)
    await tree.push('b', { 'b.txt': 'more' })
    await tree.poll(second)
    await waitFor('that it is not run any more', () => ended.length === 2)
    expect(new Set([...waiting, ...ended])).toEqual(new Set(['main']))
  })
})
