import { z } from 'zod'

/** Of `.exomonad/config.toml` what bounds the tree: its size, its budgets, and what models cost. */

const usd = z.number().min(0)

export const priceSchema = z
  .strictObject({
    input: usd.describe('Of the tokens a model reads. USD per million.'),
    output: usd.describe('Of the tokens it writes. USD per million.'),
    cache_read: usd
      .optional()
      .describe('Of what it reads from its cache. USD per million. Default: as input.'),
    cache_write: usd
      .optional()
      .describe('Of what is put into its cache. USD per million. Default: as input.'),
  })
  .meta({ id: 'PriceConfig' })

const budget = (what: string, whose: string) =>
  z
    .number()
    .positive()
    .optional()
    .describe(
      `Budget: ${what} of ${whose}. At 80 % its parent is notified, at 100 % nothing more is spawned there. Default: none.`,
    )

const ALONE = 'one agent'
const BELOW = 'an agent and all below it, whether alive or not'
const TOKENS = 'tokens of every kind (read, written, cached)'
const MONEY = 'USD, by [prices],'

export const limitsSchema = z
  .strictObject({
    max_tree_depth: z
      .number()
      .int()
      .min(0)
      .default(3)
      .describe('The deepest agent with a worktree of its own; the root is at 0.'),
    max_subagent_depth: z.number().int().min(0).default(2).describe('Nesting of subagent_spawn.'),
    max_live_agents: z
      .number()
      .int()
      .min(1)
      .default(32)
      .describe('Agents in panes that are alive and not done.'),
    max_live_headless: z
      .number()
      .int()
      .min(1)
      .default(10)
      .describe('Agents without a terminal that are alive and not done.'),
    approval_depth: z
      .number()
      .int()
      .min(1)
      .optional()
      .describe('From this depth on a spawn waits for `exomonad approve`. Default: off.'),
    tokens_per_agent: budget(TOKENS, ALONE),
    tokens_per_subtree: budget(TOKENS, BELOW),
    tool_calls_per_agent: budget('tool calls', ALONE),
    tool_calls_per_subtree: budget('tool calls', BELOW),
    money_per_agent: budget(MONEY, ALONE),
    money_per_subtree: budget(MONEY, BELOW),
  })
  .prefault({})
