import { describe, expect, it, onTestFinished } from 'vitest'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { HOLD, LEAD, landingWorld, type LandingWorld } from '../../helpers/landing-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'

/**
 * What was checked is what lands: the queue of landings, in one process, on the real local forge.
 */

/** Red with both halves of a pair, and with whatever says that it is bad. */
const PAIRS =
  'for a in pair-*-a; do b="${a%-a}-b"; if test -e "$a" && test -e "$b"; then echo "$a and $b"; exit 1; fi; done; test ! -e bad.txt'

async function world(
  options: Parameters<typeof landingWorld>[1] = {},
  script = PAIRS,
): Promise<LandingWorld> {
  const opened = await landingWorld(script, options)
  onTestFinished(() => opened.close())
  return opened
}

/** Every tip that main had was found green as it was. */
async function expectTipsChecked(tree: LandingWorld): Promise<void> {
  const green = new Set(tree.runs().flatMap((run) => (run.green ? [run.tree] : [])))
  for (const tip of await tree.tips())
    expect(green).toContain(
      await tree.git.resolve(tip).then(() => tree.repository.git('rev-parse', `${tip}^{tree}`)),
    )
}

const subjects = async (tree: LandingWorld): Promise<string[]> => {
  const tip = await tree.git.remoteTip(tree.remote, 'main' as never)
  return (await tree.repository.git('log', '--format=%s', String(tip))).split('\n')
}

describe('landing', () => {
  it('takes one configuration for a merge, that which it begins with', async () => {
    const tree = await world()
    const number = await tree.open('a', { 'a.txt': 'a' })
    await tree.checked(number)
    const before = tree.snapshots()
    expect(await tree.merge(number)).toMatchObject({ merged: true })
    expect(tree.snapshots() - before).toBe(1)
  })

  it('merges at once what was checked on the base as it is, in no further run', async () => {
    const tree = await world()
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
    const tree = await world({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
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
    const tree = await world()
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
    const tree = await world()
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
    const tree = await world({}, 'sleep 0.5')
    const [a, b] = [await tree.open('a', { 'a.txt': 'a' }), await tree.open('b', { 'b.txt': 'b' })]
    for (const number of [a, b]) await tree.checked(number)
    await tree.merge(a)
    const gone = new AbortController()
    const waiting = tree.merge(b, { wait: true, signal: gone.signal })
    await waitFor('it to wait', async () => (await tree.store.journal.open()).length === 1)
    gone.abort()
    expect(await waiting).toMatchObject({ state: 'landing' })
    await tree.landed()
    expect(await tree.look(b)).toMatchObject({ state: 'merged' })
    await waitFor('the lead to be notified', async () =>
      (await tree.delivered(LEAD)).some((text) => text.startsWith('[LANDED]')),
    )
  })

  it('lands a good one that conflicts only with a red one of its group, and reports none as not landing', async () => {
    const tree = await world({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi; ${PAIRS}`)
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
    const tree = await world({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
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
    const waiting = [tree.merge(b, { wait: true }), tree.merge(c, { wait: true })]
    const looking = tree.merge(d, { as: 'human', wait: true })
    const refused = waiting[1]?.catch((error: unknown) => error)
    await waitFor('all to wait', async () => (await tree.store.journal.open()).length === 3)
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
      const tree = await world()
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

  it('gives up what got new commits, a change request or a conflict meanwhile; the others land', async () => {
    const tree = await world({}, HOLD)
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
    const tree = await world({}, HOLD)
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

  it('lands although there is always another about to be fixed', async () => {
    const tree = await world({}, HOLD)
    const [a, b, busy] = [
      await tree.open('a', { 'a.txt': 'a' }),
      await tree.open('b', { 'b.txt': 'b' }),
      await tree.open('busy', { 'busy.txt': '0' }),
    ]
    for (const number of [a, b, busy]) await tree.checked(number)
    tree.hold(true)
    await tree.merge(a)
    await tree.merge(b)
    const until = performance.now() + 60_000
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
    const tree = await world({}, HOLD)
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

  it('lands without a check where that is off, or nothing overlaps; the base is checked then, and its owner notified where it is red', async () => {
    // With a second place what comes while a run is held would be run there on a slow machine.
    const tree = await world(
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
    const tree = await world({
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
    const tree = await world(
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
    const tree = await world()
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
    const tree = await world({ parallel: 1 }, `if test -e slow.txt; then ${HOLD}; fi`)
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
    const tree = await world({}, 'for file in bad-*; do if test -e "$file"; then exit 1; fi; done')
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
    const tree = await world()
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
      const tree = await world()
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
