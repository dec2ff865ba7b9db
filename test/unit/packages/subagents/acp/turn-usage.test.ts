import { describe, expect, it } from 'vitest'
import { usageOf } from '../../../../../packages/subagents/src/acp/turn-usage.ts'

/** Answers to prompts, as the four agents gave them. */
const tokens = (input: number, output: number) => ({ input, output, cacheRead: 0, cacheWrite: 0 })

describe('tokens of a turn', () => {
  it('are counted under the model that answered, not under what was chosen', () => {
    const usage = {
      inputTokens: 4000,
      outputTokens: 200,
      cachedReadTokens: 0,
      cachedWriteTokens: 0,
      totalTokens: 4200,
    }
    const quota = {
      model_usage: [{ model: 'claude-haiku-5-5', token_count: { inputTokens: 4000 } }],
    }
    expect(usageOf({ usage, _meta: { quota } }, 'haiku')).toEqual({
      models: { 'claude-haiku-5-5': tokens(4000, 200) },
    })
    expect(usageOf({ usage, _meta: {} }, 'mock/scripted')).toEqual({
      models: { 'mock/scripted': tokens(4000, 200) },
    })
  })

  it('are those of each model where only that is reported', () => {
    const model_usage = [
      { model: 'gemini-3.8-flash', token_count: { input_tokens: 1000, output_tokens: 50 } },
      { model: 'auto', token_count: { input_tokens: 3000, output_tokens: 150 } },
    ]
    expect(
      usageOf(
        {
          _meta: {
            quota: { token_count: { input_tokens: 4000, output_tokens: 200 }, model_usage },
          },
        },
        'auto',
      ),
    ).toEqual({
      models: { 'gemini-3.8-flash': tokens(1000, 50), auto: tokens(3000, 150) },
    })
  })

  it('are unknown where nothing is reported, or none', () => {
    expect(usageOf({ stopReason: 'cancelled' }, 'm')).toBeNull()
    expect(
      usageOf({ usage: null, _meta: { quota: { token_count: null, model_usage: [] } } }, 'm'),
    ).toBeNull()
    expect(usageOf({ usage: { inputTokens: 0, outputTokens: 0, totalTokens: 0 } }, 'm')).toBeNull()
  })
})
