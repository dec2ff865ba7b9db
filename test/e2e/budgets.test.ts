import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { TURN_USAGE } from '../fixtures/model-server/server.ts'
import { waitFor } from '../helpers/wait-for.ts'
import { claude } from './clis/claude.ts'
import { codex } from './clis/codex.ts'
import { gemini } from './clis/gemini.ts'
import { opencode } from './clis/opencode.ts'
import { requireInstalled } from './real-cli.ts'
import { startWorld, type World } from './world.ts'
import { LIMIT } from './limits.ts'

const CLIS = [claude, gemini, codex, opencode]
const TURNS = 3
const EACH = TURNS * (TURN_USAGE.input + TURN_USAGE.output)

const CONFIG = `
[limits]
tokens_per_subtree = ${EACH * CLIS.length}
[prices.claude]
input = 3
output = 15
[prices.gemini]
input = 1
output = 2
`

describe.skipIf(!requireInstalled(CLIS))('what the real agent CLIs use', () => {
  let world: World
  beforeAll(async () => {
    world = await startWorld(CLIS, { tl: 'claude', dev: 'claude', config: CONFIG })
  }, 120_000)
  afterAll(async () => {
    await world?.stop()
  })

  it('is counted to the token, priced by model, added up, and refuses spawns where it is all that there was', async () => {
    for (const { name } of CLIS)
      await world.worker(`from-${name}`, [{ say: 'Ready.' }], { agent: name })
    for (let turn = 1; turn < TURNS; turn++) {
      for (const { name } of CLIS) {
        await world.state(`from-${name}`, 'idle')
        await world.model.sees(await world.send(`from-${name}`, [{ say: 'Read it.' }]))
      }
    }
    for (const { name } of CLIS) {
      const node = await waitFor(
        `the tokens of ${name}`,
        async () => {
          const now = await world.tree.agent(`from-${name}`)
          if (now?.tokens >= EACH) return now
          throw new Error(`${now?.state}, ${now?.tokens} tokens`)
        },
        { limit: LIMIT, every: 300 },
      )
      const models = Object.values<any>(node.usage)
      expect(node.tokens, name).toBe(EACH)
      expect(models, name).toEqual([
        {
          input: TURNS * TURN_USAGE.input,
          output: TURNS * TURN_USAGE.output,
          cache_read: 0,
          cache_write: 0,
        },
      ])
    }
    expect((await world.tree.agent('from-claude')).cost_usd).toBeCloseTo(
      (TURNS * (TURN_USAGE.input * 3 + TURN_USAGE.output * 15)) / 1e6,
    )
    expect((await world.tree.agent('from-gemini')).cost_usd).toBeCloseTo(
      (TURNS * (TURN_USAGE.input + TURN_USAGE.output * 2)) / 1e6,
    )
    expect(await world.tree.agent('from-codex')).toMatchObject({
      cost_usd: null,
      unpriced_models: [expect.any(String)],
    })

    const notice = await waitFor(
      'the budget to be reported',
      async () =>
        (await world.tree.call('inbox')).messages.find(
          ({ kind }: any) => kind === 'budget.exhausted',
        ),
      { limit: LIMIT },
    )
    expect(notice.text).toContain(
      `have used ${EACH * CLIS.length} of ${EACH * CLIS.length} tokens (100 %)`,
    )
    expect(
      await world.tree.refusal('spawn_workers', { specs: [{ name: 'more', prompt: 'Go on' }] }),
    ).toMatchObject({
      code: 'LIMIT_REACHED',
      kind: 'tokens',
      scope: 'subtree',
    })
    for (const { name } of CLIS)
      expect((await world.tree.agent(`from-${name}`)).state).toMatch(/running|idle/)
  })
})
