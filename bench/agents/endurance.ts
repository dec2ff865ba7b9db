import process from 'node:process'
import type { Seen } from '../../test/fixtures/model-server/server.ts'
import { waitFor } from '../../test/helpers/wait-for.ts'
import type { Figure } from '../figures.ts'
import type { BenchWorld } from './world.ts'

const MESSAGES = Number(process.env['EXOMONAD_BENCH_MESSAGES'] ?? 1000)
const KILLS = 10
/** Between messages, on average; milliseconds. */
const GAP = 200
/** Without any change at the end: what has not arrived by then is lost. Milliseconds. */
const LIMIT = 90_000
/** Milliseconds. */
const CUT_OFF = 8000
const AGENT = 'enduring'

/** Beyond what a line that only points to a message shows of it. */
const FILLER =
  'a few words that come before what is looked for, so that a line that points to the message does not count as the message itself'

/**
 * Messages at random intervals while the daemon is killed (-9) and started again at random times:
 * what the model has in its conversation at the end, each once, and which of them the daemon itself
 * said it can’t determine the fate of.
 */
export async function measureEndurance(world: BenchWorld): Promise<Figure[]> {
  const { tree, model } = world
  const { marker } = await world.worker(AGENT, [{ say: 'Ready.' }])
  await world.rests(AGENT)
  const wordOf = (index: number): string => `word-${index}-end`
  let up = Promise.resolve()

  const stored = async (word: string): Promise<boolean> =>
    (await tree.events()).some(
      ({ type, payload }) =>
        type === 'message' && typeof payload.message === 'string' && payload.message.includes(word),
    )
  const send = async (index: number): Promise<void> => {
    const word = wordOf(index)
    for (let tries = 0; ; tries += 1) {
      try {
        await world.client.callTool(
          'send',
          { to: AGENT, message: `${FILLER}: ${word}` },
          { signal: AbortSignal.timeout(15_000) },
        )
        return
      } catch (error) {
        if (tries > 5) throw error
        // It may have been stored before the daemon went away.
        await up
        if (await stored(word)) return
      }
    }
  }
  const kill = async (): Promise<void> => {
    await tree.crash()
    const started = await tree.run(['daemon', 'start'])
    if (started.code !== 0)
      throw new Error(`the daemon did not start again: ${started.stdout}${started.stderr}`)
  }

  const killAt = new Set(
    Array.from({ length: KILLS }, (_, index) =>
      Math.floor(((index + Math.random()) * MESSAGES) / KILLS),
    ),
  )
  for (let index = 0; index < MESSAGES; index += 1) {
    if (killAt.has(index)) {
      const soon = new Promise((resolve) => setTimeout(resolve, Math.random() * 2000))
      up = up.then(() => soon).then(kill)
    }
    await send(index)
    forget(model.seen as Seen[], marker)
    await new Promise((resolve) => setTimeout(resolve, Math.random() * 2 * GAP))
  }
  await up
  // What a kill cut off before it was noted is settled, or sent again, a few seconds after the
  // start.
  await new Promise((resolve) => setTimeout(resolve, CUT_OFF))
  await quiet(world)

  const events = await tree.events()
  const undecided = events
    .filter(({ type }) => type === 'delivery.undecided')
    .map(({ payload }) => String(payload.text))
  const entries = world.latest(marker)?.conversation.entries ?? []
  const arrived = new Map<number, number>()
  for (const { text } of entries) {
    for (const match of text.matchAll(/word-(\d+)-end/g))
      arrived.set(Number(match[1]), (arrived.get(Number(match[1])) ?? 0) + 1)
  }
  const all = Array.from({ length: MESSAGES }, (_, index) => index)
  const isUndecided = (index: number): boolean =>
    undecided.some((text) => text.includes(wordOf(index)))
  const lost = all.filter((index) => !arrived.has(index) && !isUndecided(index))
  const doubled = all.filter((index) => (arrived.get(index) ?? 0) > 1)
  const named = all.filter(isUndecided)
  if (lost.length + doubled.length > 0) {
    process.stderr.write(
      `  ${world.cli.name}: lost ${lost.slice(0, 20).join(' ')}; doubled ${doubled.slice(0, 20).join(' ')}\n`,
    )
  }
  const row = (what: string, value: number, most: number): Figure => ({
    name: `${world.cli.name}: of ${MESSAGES} messages ${what}`,
    unit: 'messages',
    value,
    floorName: `daemon killed ${KILLS} times`,
    floor: 0,
    target: { text: `≤ ${most}`, met: value <= most },
    samples: MESSAGES,
  })
  return [
    row('lost', lost.length, 0),
    row('doubled', doubled.length, 0),
    row('named as undecided', named.length, Math.floor(MESSAGES / 100)),
  ]
}

/** Only the latest conversation is counted at the end; all of them would fill the memory. */
function forget(seen: Seen[], marker: string): void {
  if (seen.length < 40) return
  const latest = seen.findLast((turn) =>
    turn.conversation.entries.some((entry) => entry.text.includes(marker)),
  )
  seen.splice(0, seen.length - 10)
  if (latest !== undefined && !seen.includes(latest)) seen.unshift(latest)
}

/** Waits until the agent is idle with nothing on its way, or nothing has changed for long. */
async function quiet(world: BenchWorld): Promise<void> {
  let before = ''
  let since = Date.now()
  await waitFor(
    'the agent to have read everything',
    async () => {
      const node = await world.node(AGENT)
      const events = await world.tree.events()
      const ids = (type: string) =>
        new Set(
          events
            .filter((event) => event.type === type)
            .map(({ payload }) => String(payload.delivery_id)),
        )
      const settled = [ids('delivery.acked'), ids('delivery.undecided'), ids('delivery.failed')]
      const open = [...ids('delivery.sent')].filter(
        (id) => !settled.some((done) => done.has(id)),
      ).length
      if (node?.state === 'idle' && node.undelivered === 0 && open === 0) return true
      const now = `${node?.state} ${node?.undelivered} ${open} ${world.model.seen.at(-1)?.at}`
      if (now !== before) [before, since] = [now, Date.now()]
      if (Date.now() - since > LIMIT) {
        process.stderr.write(
          `  ${world.cli.name}: still ${node?.state} (${node?.state_reason}) with ${node?.undelivered} queued, ${open} unconfirmed\n`,
        )
        process.stderr.write(`${await world.screen(AGENT).catch(String)}\n`)
        return true
      }
      throw new Error(now)
    },
    { limit: 1_800_000, every: 1000 },
  )
}
