import { expect, it, onTestFinished } from 'vitest'
import { openSqliteStore } from '../../../src/adapters/store/sqlite/open.ts'
import type { Store } from '../../../src/adapters/store/store.ts'
import { ExomonadError } from '../../../src/domain/errors.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { asAgent, mailFolder, memberRow, openMailWorld } from '../../helpers/mail-world.ts'
import { verifies } from '../../requirements.ts'

/** Waits over a store whose wake-ups are all lost, as those of a server can be. */
async function openDeaf() {
  const folder = mailFolder()
  onTestFinished(folder.remove)
  let isAway = false
  let looks = 0
  const world = await openMailWorld(async (): Promise<Store> => {
    const store = await openSqliteStore({ file: folder.file, log: silentLog() })
    const reachable = async (): Promise<void> => {
      looks += 1
      if (isAway) throw new ExomonadError('STORE_UNAVAILABLE', 'away')
    }
    return {
      ...store,
      lookEvery: 20,
      subscribe: () => () => {},
      agents: { ...store.agents, get: (id) => reachable().then(() => store.agents.get(id)) },
    }
  })
  onTestFinished(() => world.die())
  const lead = memberRow('lead', null)
  const one = memberRow('one', lead)
  for (const agent of [lead, one]) await world.store.agents.insert(agent)
  const wait = (from?: string[]) =>
    world.waiting.wait(
      asAgent(lead),
      { timeout: 100, from },
      { signal: new AbortController().signal },
    )
  return { world, lead, one, wait, away: (now: boolean) => (isAway = now), looks: () => looks }
}

const sent = (to: { id: string }, from: { id: string }) =>
  ({ id: crypto.randomUUID(), from: from.id, to: to.id, message: 'hello', sentAt: 1 }) as never

it.each([undefined, ['one']])(
  verifies('R000-18', 'who waits for %j looks by itself, where the wake-up was lost'),
  async (from) => {
    const { world, lead, one, wait, looks } = await openDeaf()
    const waited = wait(from)
    await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(3)
    await world.store.mail.send(sent(lead, one))
    expect(JSON.stringify(await waited)).toContain('hello')
  },
)

it('a wait stays open while the store is away, and takes what came meanwhile', async () => {
  const { world, lead, one, wait, away, looks } = await openDeaf()
  const waited = wait()
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(3)
  away(true)
  const before = looks()
  await expect.poll(looks, { timeout: 20_000 }).toBeGreaterThan(before + 3)
  await expect(wait()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  await world.store.mail.send(sent(lead, one))
  away(false)
  expect(await waited).toMatchObject({ message: 'hello' })
})
