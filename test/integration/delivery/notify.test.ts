import fc from 'fast-check'
import { expect, it, onTestFinished } from 'vitest'
import type { Notice } from '../../../src/adapters/notify/target.ts'
import type { ConfiguredTarget } from '../../../src/delivery/notify/target-queue.ts'
import { mailFolder } from '../../helpers/mail-world.ts'
import { openNotifyWorld, targetOf, type NotifyWorld } from '../../helpers/notify-world.ts'
import { waitFor } from '../../helpers/wait-for.ts'

/** People are told what needs them: a real store, virtual time, targets that a test answers for. */

async function open(...targets: readonly Omit<ConfiguredTarget, 'target'>[]): Promise<NotifyWorld> {
  const folder = mailFolder()
  const world = await openNotifyWorld(folder.file, () => targets)
  onTestFinished(async () => {
    await world.close()
    folder.remove()
  })
  return world
}

const told = ({ sent }: NotifyWorld, target = 'phone'): Notice[] =>
  sent.filter((one) => one.target === target).map(({ notice }) => notice)
const titles = (world: NotifyWorld, target?: string): string[] =>
  told(world, target).map(({ title }) => title.replace('exomonad: ', ''))

it('tells at once, and then what came within a minute in one message, without words', async () => {
  const world = await open(targetOf('phone'))
  await world.ask('rm -rf /')
  await world.pass(1)
  await world.ask('two')
  await world.ask('three')
  await world.pass(58)
  expect(titles(world)).toEqual(['1 thing needs you'])
  await world.pass(1)
  expect(titles(world)).toEqual(['1 thing needs you', '2 things need you'])
  expect(JSON.stringify(world.sent)).not.toContain('rm -rf')
  await world.pass(7200)
  expect(world.sent).toHaveLength(2)
  const events = await world.store.events.list({ types: ['person.notified'] })
  expect(
    events.map(({ payload }) => [payload['target'], payload['count'], payload['body']]),
  ).toEqual([
    ['phone', 1, ''],
    ['phone', 2, ''],
  ])
})

it('tells only what is still open after its time, each target for itself', async () => {
  const world = await open(
    targetOf('desk', {}, { kind: 'desktop', text: true }),
    targetOf('phone', { after: 300_000 }),
  )
  const first = await world.ask('one')
  await world.pass(100)
  await world.ask('two')
  await world.pass(100)
  await world.decide(first)
  await world.pass(199)
  expect([titles(world, 'desk').length, titles(world).length]).toEqual([2, 0])
  expect(told(world, 'desk')[0]?.body).toContain('one')
  await world.pass(1)
  expect(told(world).map(({ items }) => items.length)).toEqual([1])
})

it('tells nobody what they have marked as read', async () => {
  const world = await open(targetOf('phone', { after: 300_000 }))
  await world.ask('one')
  const [delivery] = await world.store.outbox.list({ recipient: 'human' })
  await world.store.outbox.settle([delivery!.id], 'acked', null, world.time.clock())
  await world.pass(3600)
  expect(world.sent).toEqual([])
})

it('knows of each thing whether it still needs somebody', async () => {
  const world = await open(targetOf('phone', { after: 60_000 }))
  const { store, worker } = world
  const facts = { agentId: worker.id, actor: worker.id, why: 'test' } as const
  const names = { name: 'w', reason: 'x' }
  const publish = (event: Parameters<ReturnType<NotifyWorld['publisher']>['publish']>[0]) =>
    world.publisher().publish(event)
  const waits = (): Promise<unknown> =>
    publish({ ...facts, type: 'agent.waiting', payload: { ...names, source: 'hook', screen: '' } })
  const fails = (): Promise<unknown> =>
    publish({
      ...facts,
      type: 'agent.failed',
      payload: { ...names, exit_code: 1, signal: null, last_lines: '' },
    })
  const blocks = (number: number): Promise<unknown> =>
    publish({
      ...facts,
      type: 'pr.blocked',
      payload: {
        ...{ number, title: 't', url: `u/${number}`, head: 'main.w', base: 'main', sha: 'a' },
        ...{ needs: ['a review'], behind: false, person: true },
      },
    })
  const pull = (number: number, state: string): Promise<void> =>
    store.snapshots.put(`pull:${number}`, { snapshot: { number, url: `u/${number}`, state } })
  const kinds = async (): Promise<string[]> => {
    await world.pass(180)
    return world.sent
      .splice(0)
      .flatMap(({ notice }) => notice.items.map(({ kind }) => kind))
      .toSorted()
  }

  await store.agents.update(worker.id, { state: 'waiting' })
  await waits()
  await fails()
  await pull(1, 'open')
  await blocks(1)
  expect(await kinds()).toEqual(['failure', 'pull_request', 'waiting'])

  // The same again, and settled in time.
  await waits()
  await store.agents.update(worker.id, { state: 'running' })
  await fails()
  await publish({ ...facts, type: 'agent.started', payload: { name: 'w', resumed: true } })
  await pull(2, 'open')
  await blocks(2)
  await pull(2, 'merged')
  expect(await kinds()).toEqual([])

  const question = async (id: string): Promise<void> => {
    await store.questions.insert({
      ...{ id: id as never, agentId: worker.id, message: 'm', askedAt: world.time.clock() },
      ...{ answer: null, answeredBy: null, answeredAt: null, claimedBy: null },
    })
    const payload = { name: 'w', question_id: id, message: 'm' }
    await publish({ ...facts, type: 'question.asked', payload })
  }
  await question('q-1')
  expect(await kinds()).toEqual(['question'])
  await question('q-2')
  await store.questions.answer('q-2' as never, 'yes', 'human', world.time.clock())
  expect(await kinds()).toEqual([])
  await fails()
  await store.agents.update(worker.id, { reapedAt: world.time.clock() })
  expect(await kinds()).toEqual([])
})

it('delays nothing for a target that hangs, or that fails', async () => {
  const world = await open(targetOf('hanging'), targetOf('failing'), targetOf('phone'))
  world.answer = (target) =>
    target === 'hanging'
      ? new Promise(() => {})
      : target === 'failing'
        ? { ok: false, reason: 'down', again: false }
        : { ok: true, said: '' }
  await world.ask('one')
  await waitFor('the phone', () => told(world).length === 1)
  await waitFor('the trouble', async () => (await world.notices().trouble()).length === 1)
})

it('tries three times, says once that it failed, and tells all that is open when it is taken again', async () => {
  const world = await open(targetOf('phone'))
  let isDown = true
  world.answer = () =>
    isDown ? { ok: false, reason: 'it is down', again: true } : { ok: true, said: '' }
  await world.ask('one')
  await world.pass(0)
  expect(world.sent).toHaveLength(1)
  await world.pass(1)
  expect(world.sent).toHaveLength(2)
  await world.pass(4)
  expect(world.sent).toHaveLength(3)
  expect(new Set(told(world).map(({ id }) => id)).size).toBe(1)
  await world.pass(30)
  expect(world.sent).toHaveLength(3)
  expect(await world.notices().trouble()).toMatchObject([
    { target: 'phone', reason: 'it is down', failures: 1 },
  ])
  const settled = await world.ask('two')
  await world.ask('three')
  await world.pass(7200)
  const failures = world.logged.filter((line) => line.includes('could not be sent'))
  expect(failures).toHaveLength(1)
  expect(world.sent.length).toBeLessThan(30)
  isDown = false
  await world.decide(settled)
  world.sent.length = 0
  // It is left alone ever longer, an hour at most.
  await world.pass(3700)
  expect(told(world).map(({ items }) => items.length)).toEqual([2])
  expect(await world.notices().trouble()).toEqual([])
})

it('waits as long as a target asks for, within reason', async () => {
  const world = await open(targetOf('phone'))
  world.answer = () => ({ ok: false, reason: 'slowly', again: true, after: 20_000 })
  await world.ask('one')
  await world.pass(19)
  expect(world.sent).toHaveLength(1)
  await world.pass(1)
  expect(world.sent).toHaveLength(2)
})

it('tells the next daemon’s people what the last one had no time to tell', async () => {
  const world = await open(targetOf('phone', { after: 300_000 }), targetOf('desk'))
  await world.ask('one')
  await world.pass(10)
  await world.killAndStart()
  await world.pass(280)
  await world.killAndStart()
  await world.pass(9)
  expect([titles(world).length, titles(world, 'desk').length]).toEqual([0, 1])
  await world.pass(3600)
  expect([titles(world).length, titles(world, 'desk').length]).toEqual([1, 1])
})

it('sends at the next start what the end of a daemon cut off, which is no fault of the target', async () => {
  const world = await open(targetOf('phone'))
  world.answer = () => new Promise(() => {})
  await world.ask('one')
  await waitFor('the attempt', () => world.sent.length === 1)
  await world.notices().stop()
  world.answer = () => ({ ok: true, said: '' })
  await world.killAndStart()
  expect(await world.notices().trouble()).toEqual([])
  expect(told(world)).toHaveLength(2)
  expect(world.logged).toEqual([])
})

it('sends nothing while the configuration is not trusted, and all of it then', async () => {
  const world = await open(targetOf('phone'))
  world.requireTrust = () => Promise.reject(new Error('UNTRUSTED'))
  await world.ask('one')
  await world.pass(600)
  expect(world.sent).toEqual([])
  expect(world.logged.filter((line) => line.includes('nobody was notified'))).toHaveLength(1)
  await expect(world.notices().test()).rejects.toThrow('UNTRUSTED')
  world.requireTrust = async () => {}
  await world.pass(60)
  expect(titles(world)).toEqual(['1 thing needs you'])
})

it('runs notify.command as ever: each urgent message as it is, once, and none of before', async () => {
  const plain = targetOf(
    'notify.command',
    { every: 0, each: true },
    { kind: 'command', text: true, isPlain: true },
  )
  const configured: (typeof plain)[] = []
  const folder = mailFolder()
  const world = await openNotifyWorld(folder.file, () => configured)
  onTestFinished(async () => {
    await world.close()
    folder.remove()
  })
  await world.ask('before it was there')
  await world.pass(5)
  configured.push(plain)
  await world.killAndStart()
  world.answer = () => ({ ok: false, reason: 'no display', again: true })
  await world.ask('one')
  await world.ask('two')
  await world.pass(0)
  expect(told(world, 'notify.command').map(({ title }) => /a-\d/.exec(title)?.[0])).toEqual([
    'a-2',
    'a-3',
  ])
  await world.killAndStart()
  await world.pass(3600)
  expect(world.sent).toHaveLength(2)
  expect(world.logged.filter((line) => line.includes('no display'))).toHaveLength(2)
})

it('tests all targets or one, and says what each answered', async () => {
  const world = await open(targetOf('desk', {}, { kind: 'desktop' }), targetOf('phone'))
  world.answer = (target) =>
    target === 'phone' ? { ok: false, reason: 'gone', again: false } : { ok: true, said: 'shown' }
  expect(await world.notices().test()).toEqual({
    answers: [
      { target: 'desk', kind: 'desktop', ok: true, answer: 'shown' },
      { target: 'phone', kind: 'webhook', ok: false, answer: 'gone' },
    ],
  })
  expect((await world.notices().test('desk')).answers).toHaveLength(1)
  expect(told(world, 'desk')[0]).toMatchObject({ test: true, items: [] })
  await expect(world.notices().test('home')).rejects.toThrow(/no target "home".*desk, phone/)
  // A target that answers a test is given at once what it did not take.
  await world.ask('one')
  await world.pass(10)
  world.answer = () => ({ ok: true, said: '' })
  world.sent.length = 0
  await world.notices().test('phone')
  await world.notices().settled()
  expect(titles(world)).toEqual(['a test', '1 thing needs you'])
})

it('says where there is nothing to test', async () => {
  const world = await open()
  await expect(world.notices().test()).rejects.toThrow(/No notifications are configured/)
})

it('loses nothing and tells nothing twice, whenever the daemon is killed', async () => {
  const step = fc.oneof(
    fc.record({ do: fc.constant('ask' as const) }),
    fc.record({ do: fc.constant('decide' as const), which: fc.nat(20) }),
    fc.record({ do: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 400 }) }),
    fc.record({ do: fc.constant('fail' as const), times: fc.integer({ min: 1, max: 4 }) }),
    fc.record({ do: fc.constant('kill' as const) }),
    // While a target is being told, which has it already and whose answer nobody hears.
    fc.record({ do: fc.constant('kill in the middle' as const) }),
  )
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { maxLength: 25 }),
      fc.constantFrom(0, 30_000, 200_000),
      async (steps, after) => {
        const folder = mailFolder()
        const world = await openNotifyWorld(folder.file, () => [targetOf('phone', { after })])
        const taken: { readonly notice: Notice; readonly at: number; readonly cut: boolean }[] = []
        let failures = 0
        /** Called once a target has what nobody hears the answer of. */
        let cut: (() => void) | undefined
        world.answer = (_target, notice) => {
          if (failures > 0) {
            failures -= 1
            return { ok: false, reason: 'down', again: true }
          }
          taken.push({ notice, at: world.time.clock(), cut: cut !== undefined })
          cut?.()
          return cut === undefined ? { ok: true, said: '' } : new Promise(() => {})
        }
        const asked: string[] = []
        const decided = new Set<string>()
        for (const one of steps) {
          if (one.do === 'ask') asked.push(await world.ask(`thing ${asked.length}`))
          else if (one.do === 'fail') failures = one.times
          else if (one.do === 'pass') await world.pass(one.seconds)
          else if (one.do === 'kill') {
            await world.notices().settled()
            await world.killAndStart()
          } else if (one.do === 'decide') {
            const id = asked[one.which % Math.max(asked.length, 1)]
            if (id === undefined) continue
            decided.add(id)
            await world.decide(id)
          } else {
            await world.notices().settled()
            const hangs = new Promise<void>((resolve) => (cut = resolve))
            asked.push(await world.ask(`thing ${asked.length}`))
            await Promise.race([hangs, world.notices().settled()])
            cut = undefined
            await world.killAndStart()
          }
        }
        failures = 0
        await world.pass(2 * 3600)
        const ofApproval = new Map(
          (await world.store.outbox.list({ recipient: 'human' })).map(({ id, text }) => [
            String(id),
            /a-\d+/.exec(text)?.[0] ?? '',
          ]),
        )
        const idsOf = (some: typeof taken): string[] =>
          some.flatMap(({ notice }) => notice.items.map(({ id }) => ofApproval.get(id) ?? id))
        const heard = taken.filter((one) => !one.cut)
        const all = idsOf(heard)
        expect(new Set(all).size).toBe(all.length)
        for (const id of asked) if (!decided.has(id)) expect(all).toContain(id)
        heard.forEach(({ at }, index) => {
          expect(at - (heard[index - 1]?.at ?? -Infinity)).toBeGreaterThanOrEqual(60_000)
        })
        await world.close()
        folder.remove()
      },
    ),
    { numRuns: 25 },
  )
})
