import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newAgentId } from '../../../src/domain/ids.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import { startProxy, type CuttingProxy } from '../../helpers/cutting-proxy.ts'
import { type Server, startPostgres, whyNoPostgres } from '../../helpers/postgres.ts'
import { waitFor } from '../../helpers/wait-for.ts'
import { verifies } from '../../requirements.ts'
import { openAt, type Place, placeOn } from './postgres-store.ts'
import { agentRow, mailRow } from './rows.ts'

/** What only a server has: notifications, connections that are lost, a second daemon. */
describe.skipIf(whyNoPostgres() !== null)('the PostgreSQL store’s connection', () => {
  let server: Server
  let proxy: CuttingProxy
  beforeAll(async () => {
    server = await startPostgres()
    proxy = await startProxy(server)
  })
  afterAll(async () => {
    await proxy?.close()
    await server?.dispose()
  })

  async function open(place: Place, options: Parameters<typeof openAt>[1] = {}): Promise<Store> {
    const store = await openAt(place, options)
    onTestFinished(() => store.close())
    return store
  }
  const isUp = (store: Store): Promise<boolean> =>
    store.agents.list().then(
      () => true,
      () => false,
    )
  const backUp = (store: Store): Promise<true> =>
    waitFor('the store to be back', () => isUp(store), { limit: 20_000 })

  it(
    verifies('R000-18', 'notifies of mail and of signals on a channel of each agent, by its name'),
    async () => {
      const store = await open(placeOn(server))
      const other = await open(placeOn(server))
      const [to, nobody] = [newAgentId(), newAgentId()]
      const heard: string[] = []
      const stops = [
        other.subscribe(to, () => heard.push('to')),
        other.subscribe(nobody, () => heard.push('nobody')),
      ]
      // Whatever is asked of a store is done behind what it was to listen on.
      await other.agents.list()
      // In another schema of the database, so in another process as well: channels are the database's.
      await store.transaction(async (tx) => {
        await tx.mail.send(mailRow(to))
        await tx.mail.send(mailRow(to))
      })
      await expect.poll(() => heard).toEqual(['to'])
      await store.signal(to)
      await expect.poll(() => heard).toEqual(['to', 'to'])
      // By hand, as any program can.
      await server.sql(`notify "agent_event_${nobody}"`)
      await expect.poll(() => heard).toEqual(['to', 'to', 'nobody'])
      for (const stop of stops) stop()
      expect(await server.sql('select pg_listening_channels()')).toEqual([])
    },
  )

  it('listens on channels that many were on before, and lets go of those that nobody is on', async () => {
    const store = await open(placeOn(server))
    const ids = Array.from({ length: 300 }, newAgentId)
    for (const id of ids) store.subscribe(id, () => {})()
    const [last] = ids
    const woken: string[] = []
    store.subscribe(last ?? newAgentId(), () => woken.push('woken'))
    await store.signal(last ?? newAgentId())
    await expect.poll(() => woken).toEqual(['woken'])
  })

  it('that is lost is opened again, and whoever waits is woken, as it may have missed something', async () => {
    const store = await open(placeOn(server))
    const id = newAgentId()
    const woken: string[] = []
    store.subscribe(id, () => woken.push('woken'))
    await store.agents.list()
    await server.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'exomonad%'",
    )
    await backUp(store)
    await expect.poll(() => woken, { timeout: 20_000 }).toEqual(['woken'])
    await store.signal(id)
    await expect.poll(() => woken).toEqual(['woken', 'woken'])
  })

  it('cut in the middle of a transaction leaves nothing of it, runs no callback, and takes nothing more in it', async () => {
    const place = placeOn(server, proxy.url())
    const store = await open(place)
    const [kept, lost, later] = [agentRow(), agentRow(), agentRow()]
    await store.agents.insert(kept)
    const calls: string[] = []
    const failing = store.transaction(async (tx) => {
      tx.afterCommit(() => calls.push('never'))
      await tx.agents.insert(lost)
      const cut = proxy.cut('before', 'savepoint')
      const update = tx.agents.update(kept.id, { tokens: 7 })
      await cut
      await expect(update).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
      await anotherConnection()
      await expect(tx.agents.insert(later)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    })
    await expect(failing).rejects.toMatchObject({
      code: 'STORE_UNAVAILABLE',
      message: expect.stringContaining('Try again'),
    })
    expect(await store.agents.list()).toEqual([kept])
    expect(calls).toEqual([])
  })
  /** Verbs wait for the transaction that is open: only the connection is looked at. */
  const anotherConnection = (): Promise<true> =>
    waitFor(
      'a connection',
      async () =>
        (
          await server.sql(
            "select from pg_stat_activity where application_name like 'exomonad%' and application_name not like '%listens'",
          )
        ).length > 0,
      { limit: 20_000 },
    )

  it.each(['transaction', 'verb'] as const)(
    'cut when a %s was committed and the answer is on its way: it counts, once, and its callbacks run',
    async (kind) => {
      const store = await open(placeOn(server, proxy.url()))
      const agent = agentRow()
      const calls: string[] = []
      const cut = proxy.cut('after', 'commit')
      const written =
        kind === 'verb'
          ? store.agents.insert(agent)
          : store.transaction(async (tx) => {
              tx.afterCommit(() => calls.push('committed'))
              await tx.agents.insert(agent)
            })
      await cut
      await written
      expect(calls).toEqual(kind === 'verb' ? [] : ['committed'])
      expect(await store.agents.list()).toEqual([agent])
    },
  )

  it.each(['transaction', 'verb'] as const)(
    'cut before the commit of a %s arrives: that is said, and nothing of it is there',
    async (kind) => {
      const store = await open(placeOn(server, proxy.url()))
      const agent = agentRow()
      const cut = proxy.cut('before', 'commit')
      const written =
        kind === 'verb'
          ? store.agents.insert(agent)
          : store.transaction((tx) => tx.agents.insert(agent))
      const [refused] = await Promise.allSettled([written, cut])
      expect(refused).toMatchObject({
        reason: {
          code: 'STORE_UNAVAILABLE',
          message: expect.stringContaining('nothing of it was done'),
        },
      })
      await backUp(store)
      expect(await store.agents.list()).toEqual([])
      await store.agents.insert(agent)
    },
  )

  it('of a server that is away answers STORE_UNAVAILABLE, never "nothing", and resumes by itself', async () => {
    const store = await open(placeOn(server, proxy.url()))
    const agent = agentRow()
    await store.agents.insert(agent)
    proxy.refuse(true)
    for (const verb of [
      () => store.agents.list(),
      () => store.agents.get(agent.id),
      () => store.mail.counts(),
      () => store.transaction((tx) => tx.events.lastSeq()),
      () => store.signal(agent.id),
    ])
      await expect(verb()).rejects.toMatchObject({
        code: 'STORE_UNAVAILABLE',
        message: expect.stringContaining('exomonad store status'),
      })
    proxy.refuse(false)
    await backUp(store)
    expect(await store.agents.list()).toEqual([agent])
  })

  it('in a transaction that stands still is ended by the server, with nothing half made', async () => {
    const store = await open(placeOn(server), { idleInTransaction: 3_000 })
    const agent = agentRow()
    const failing = store.transaction(async (tx) => {
      await tx.agents.insert(agent)
      await waitFor(
        'the server to end it',
        async () =>
          (
            await server.sql(
              "select from pg_stat_activity where application_name like 'exomonad%' and state = 'idle in transaction'",
            )
          ).length === 0,
        { limit: 20_000 },
      )
      await tx.agents.update(agent.id, { tokens: 1 })
    })
    await expect(failing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    await backUp(store)
    expect(await store.agents.list()).toEqual([])
  })

  it('is one daemon’s: a second is refused, with the host, process and age of the first, until that is gone', async () => {
    const place = placeOn(server)
    const first = await openAt(place)
    await expect(
      openAt({ ...place, tree: { ...place.tree, id: 'another', home: '/work/there' } }),
    ).rejects.toMatchObject({
      code: 'STORE_BUSY',
      message: expect.stringMatching(
        /that of \/work\/here on this-host, process \d+, for \d+ seconds/,
      ),
    })
    await first.close()
    // Its connection is lost, and another daemon is quicker than it.
    const second = await open({ ...place, target: placeOn(server, proxy.url()).target })
    proxy.refuse(true)
    const third = await openAt(place)
    proxy.refuse(false)
    await expect
      .poll(() => second.agents.list().catch((error: Error) => error.message), { timeout: 20_000 })
      .toMatch(/Another daemon has this store/)
    await third.close()
    await backUp(second)
  })

  it('that is killed with its server, again and again, has all that it acknowledged and nothing twice', async () => {
    const own = await startPostgres()
    try {
      const store = await open(placeOn(own))
      const to = newAgentId()
      const sent: string[] = []
      const unsure = new Set<string>()
      let stopped = false
      const writing = (async () => {
        while (!stopped) {
          const mail = mailRow(to)
          try {
            await store.transaction(async (tx) => {
              await tx.mail.send(mail)
              await tx.events.append({
                ...{ type: 'note', at: 1, agentId: to, actor: 'daemon', why: mail.id },
                ...{ dedupeKey: mail.id, payload: {} },
              })
            })
            sent.push(mail.id)
          } catch (error) {
            expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
            unsure.add(mail.id)
            await new Promise((resolve) => setTimeout(resolve, 5))
          }
        }
      })()
      for (let round = 0; round < 4; round++) {
        const before = sent.length
        await waitFor('some to be written', () => sent.length > before + 20, { limit: 20_000 })
        await own.kill()
        await own.start()
      }
      await backUp(store)
      stopped = true
      await writing
      const mails = (await store.mail.peek(to)).map(({ id }) => id)
      const events = (await store.events.list({ agentId: to })).map(({ why }) => why)
      // What was refused was not done: whoever was told so did not do it twice.
      expect(mails).toEqual(sent)
      expect(events).toEqual(sent)
      expect(unsure.size).toBeGreaterThan(0)
      await store.close()
    } finally {
      await own.dispose()
    }
  })
})
