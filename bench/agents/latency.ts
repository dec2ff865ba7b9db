import { waitFor } from '../../test/helpers/wait-for.ts'
import type { Step } from '../../test/fixtures/model-server/script.ts'
import { atMost, median, percentile, type Figure } from '../figures.ts'
import type { BenchWorld } from './world.ts'

const IDLE_ROUNDS = 40
const FLOOR_ROUNDS = 10
/** Of each prompt, and how many prompts: Gemini CLI looks for loops after 30 turns of one. */
const MID_ROUNDS = 10
const MID_PROMPTS = 4
/**
 * Between paste and Enter where a person’s hands are played: what the adapters take. Milliseconds.
 */
const ENTER_DELAY = 300

/**
 * From `send` until the mock model has it in a request, with the agent idle; the floor is the same
 * text pasted and submitted by hand in tmux.
 */
export async function measureIdle(world: BenchWorld): Promise<Figure[]> {
  const { name } = world.cli
  await world.worker('idle', [{ say: 'Ready.' }])
  await world.rests('idle')
  const values: number[] = []
  const floors: number[] = []
  const until = async (from: number, word: string): Promise<number> =>
    (
      await waitFor(`the model to see ${word}`, () => world.seenSince(from, word), {
        limit: 60_000,
        every: 5,
      })
    ).at
  /** Idle for a moment: at the very end of a turn the program is still busy with itself. */
  const settled = async (): Promise<void> => {
    await world.rests('idle')
    await new Promise((resolve) => setTimeout(resolve, 300 + Math.random() * 400))
  }
  for (let round = 0; round < IDLE_ROUNDS; round += 1) {
    await settled()
    const word = `idle-word-${round}-`
    const from = world.model.seen.length
    const begun = Date.now()
    await world.client.callTool('send', { to: 'idle', message: `Look at this: ${word}` })
    values.push((await until(from, word)) - begun)
  }
  const pane = (await world.node('idle'))?.pane ?? ''
  for (let round = 0; round < FLOOR_ROUNDS; round += 1) {
    await settled()
    const word = `hand-word-${round}-`
    const from = world.model.seen.length
    const begun = Date.now()
    await world.tmux(
      'set-buffer',
      '-b',
      'by-hand',
      `[MESSAGE] from the human: Look at this: ${word}`,
      ';',
      'paste-buffer',
      '-p',
      '-r',
      '-d',
      '-b',
      'by-hand',
      '-t',
      pane,
    )
    await new Promise((resolve) => setTimeout(resolve, ENTER_DELAY))
    await world.tmux('send-keys', '-t', pane, 'Enter')
    floors.push((await until(from, word)) - begun)
  }
  const row = (share: number, title: string, target: Figure['target']): Figure => ({
    name: `${name}: message → seen by the model, idle, ${title}`,
    unit: 'ms',
    value: percentile(values, share),
    floorName: `pasted and submitted by hand, ${ENTER_DELAY} ms in between`,
    floor: median(floors),
    target,
    samples: IDLE_ROUNDS,
  })
  return [
    row(0.5, 'p50', null),
    row(0.99, 'p99', name === 'codex' ? null : atMost(1000, 'ms', percentile(values, 0.99))),
  ]
}

/**
 * The same while the model is about to call a tool: from `send`, after which the model answers at
 * once, until a request has the message. The floor is the same tool call without a message. Every
 * second call carries one.
 */
export async function measureMidTurn(world: BenchWorld): Promise<Figure[]> {
  const { name } = world.cli
  const { marker } = await world.worker('mid', [{ say: 'Ready.' }])
  await world.model.sees(marker)
  const values: number[] = []
  const floors: number[] = []
  let carriedLater = 0
  for (let prompt = 0; prompt < MID_PROMPTS; prompt += 1) {
    await world.rests('mid')
    const hold = (turn: number): string => `mid-${prompt}-${turn}`
    // Each call another one: the same again and again would be taken for a loop, too.
    const steps = Array.from({ length: MID_ROUNDS * 2 + 20 }, (_, turn): Step => ({
      call: 'note',
      input: { message: `step ${turn}` },
      hold: hold(turn),
    }))
    await world.send('mid', steps)
    let turn = 0
    for (let round = 0; round < MID_ROUNDS; round += 1) {
      await world.model.holds(hold(turn))
      const begunFloor = Date.now()
      world.model.release(hold(turn))
      turn += 1
      await world.model.holds(hold(turn))
      floors.push((world.model.seen.at(-1)?.at ?? Date.now()) - begunFloor)

      const word = `mid-word-${prompt}-${round}-`
      const from = world.model.seen.length
      const begun = Date.now()
      await world.client.callTool('send', { to: 'mid', message: `Mind this: ${word}` })
      for (let tries = 0; world.seenSince(from, word) === undefined; tries += 1) {
        if (tries > 10) throw new Error(`${word} was not seen in 10 turns`)
        if (tries > 0) carriedLater += 1
        world.model.release(hold(turn))
        turn += 1
        await world.model.holds(hold(turn))
      }
      values.push((world.seenSince(from, word)?.at ?? Date.now()) - begun)
    }
    world.model.script(`told-${prompt + 1}`, { say: 'Done.' })
    for (const [index] of steps.entries()) world.model.release(hold(index))
  }
  const row = (share: number, title: string): Figure => ({
    name: `${name}: message → seen by the model, mid-turn, ${title}${carriedLater === 0 ? '' : ` (${carriedLater} × with a later call)`}`,
    unit: 'ms',
    value: percentile(values, share),
    floorName: 'the tool call without a message',
    floor: median(floors),
    target: null,
    samples: values.length,
  })
  return [row(0.5, 'p50'), row(0.99, 'p99')]
}
