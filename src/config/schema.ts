import { z } from 'zod'
import { acpSchema, agentSchema, roleSchema } from './sections/agent-schema.ts'
import { attentionSchema } from './sections/attention-schema.ts'
import { foldSchema, forgeSchema } from './sections/forge-schema.ts'
import { limitsSchema, priceSchema } from './sections/limits-schema.ts'
import { notifySchema } from './sections/notify-schema.ts'
import { sandboxSchema } from './sections/sandbox-schema.ts'
import { seconds } from './sections/schema-fields.ts'
import { webSchema } from './sections/web-schema.ts'
import { worktreeSchema } from './sections/worktree-schema.ts'

/**
 * Every key of `.exomonad/config.toml`. Times are seconds unless the key says otherwise.
 * docs/reference.md is generated from here.
 */
export const configSchema = z
  .strictObject({
    root: z
      .strictObject({
        base: z
          .string()
          .optional()
          .describe(
            'The branch the root files its pull request against. Default: the remote’s default branch where that is another one.',
          ),
      })
      .prefault({}),
    roles: z
      .record(z.string(), roleSchema)
      .default({})
      .describe('[roles.tl] and [roles.dev], and roles of your own.'),
    agents: z
      .record(z.string(), agentSchema)
      .default({})
      .describe('[agents.NAME]: programs that can be agents.'),
    acp: z
      .record(z.string(), acpSchema)
      .default({})
      .describe('[acp.NAME]: programs that speak the Agent Client Protocol.'),
    headless: z
      .strictObject({
        acp: z
          .string()
          .optional()
          .describe(
            'The [acp.NAME] of spawn_llm_session, subagent_spawn and subagent_delegate. Default: the one that belongs to the caller’s agent CLI.',
          ),
      })
      .prefault({}),
    protected_branches: z
      .array(z.string())
      .default([])
      .describe('Only the human merges into these.'),
    merge: z
      .strictObject({
        agents_may_force: z.boolean().default(false).describe('Lets agents use force in merge_pr.'),
        check_result: z
          .enum(['always', 'if_overlapping', 'off'])
          .default('always')
          .describe(
            'Whether what a merge comes to is checked before it lands, where the base has moved since the pull request was checked. if_overlapping: only where both changed the same files. Then, and with off, the base is checked afterwards. On the local forge; elsewhere the forge’s own rules decide.',
          ),
      })
      .prefault({}),
    fold: foldSchema,
    limits: limitsSchema,
    prices: z
      .record(z.string(), priceSchema)
      .default({})
      .describe(
        '[prices."MODEL"]: what a model costs. MODEL is its name as its agent CLI reports it, or the beginning of it; the longest that fits counts.',
      ),
    multiplexer: z
      .strictObject({
        kind: z
          .enum(['auto', 'tmux', 'zellij', 'headless'])
          .default('auto')
          .describe(
            'auto: tmux where it is installed, else headless. zellij: as auto, shown in Zellij. `exomonad init` sets it. Read when the daemon starts.',
          ),
        layout: z
          .enum(['window-per-agent', 'pane-per-worker'])
          .default('window-per-agent')
          .describe(
            'pane-per-worker: workers and forks get panes in the window (tab) of their parent, as long as there is room. Headless has no windows.',
          ),
        columns: z.number().int().min(20).default(200).describe('Width of a new pane. Characters.'),
        rows: z.number().int().min(5).default(50).describe('Height of a new pane. Lines.'),
      })
      .prefault({}),
    forge: forgeSchema,
    worktree: worktreeSchema,
    sandbox: sandboxSchema,
    radar: z
      .strictObject({
        enabled: z
          .boolean()
          .default(true)
          .describe(
            'Whether the work of siblings, and of each agent and its base, is merged on trial while it is being written, uncommitted files included. Two whose work would conflict are told, and so is their parent. Nothing is changed by it.',
          ),
        interval: seconds(
          30,
          'At most so often the worktree of an agent at work is looked at; at the end of each turn it is looked at as well.',
        ),
      })
      .prefault({}),
    question: z
      .strictObject({
        timeout: seconds(300, 'How long `question` blocks before it returns “pending”.'),
      })
      .prefault({}),
    stop: z
      .strictObject({
        max_blocks: z
          .number()
          .int()
          .min(1)
          .default(3)
          .describe('Times an agent is held for the same objection.'),
        timeout: seconds(60, 'For the whole stop check, fetch and push included.'),
        rebase_filed: z
          .enum(['auto', 'always'])
          .default('auto')
          .describe(
            'A branch whose pull request is filed and that has nothing new. auto: on the local forge it is rebased, and keeps its checks; on GitHub, where a new head means new checks and reviews, only where it conflicts or has to be up to date to be merged. always: at each stop.',
          ),
        rebase_tries: z
          .number()
          .int()
          .min(1)
          .default(3)
          .describe('Times a conflict is handed back before the parent is asked.'),
      })
      .prefault({}),
    attention: attentionSchema,
    delivery: z
      .strictObject({
        ack_timeout: seconds(
          20,
          'An acknowledging agent that says nothing for this long: the message is undecided.',
        ),
        retry_initial: seconds(1, 'First wait after a failed attempt; doubles.'),
        retry_max: seconds(60, 'Longest wait between attempts.'),
        human_idle: seconds(5, 'A human typed in the pane this recently: wait.'),
        max_chars: z
          .number()
          .int()
          .min(500)
          .default(16000)
          .describe('Longest message typed into a pane; the rest is pointed to.'),
      })
      .prefault({}),
    secrets: z
      .strictObject({
        entropy: z
          .boolean()
          .default(false)
          .describe('Redact what looks random as well: 32 or more mixed characters.'),
      })
      .prefault({}),
    liveness: z
      .strictObject({
        reconcile_every: seconds(30, 'Between comparisons of the records with what is true.'),
        silent_after: z
          .number()
          .positive()
          .optional()
          .describe('The older name of `attention.stalled_after`, before which it goes. Seconds.'),
      })
      .prefault({}),
    notify: notifySchema,
    retention: z
      .strictObject({
        events_days: z
          .number()
          .positive()
          .default(90)
          .describe('Events older than this are removed. Days.'),
        usage_days: z
          .number()
          .positive()
          .default(400)
          .describe('What agents used by the hour is kept so long. Days.'),
        logs_mb: z
          .number()
          .positive()
          .default(50)
          .describe('The daemon’s log is rotated so that it stays below this. Megabytes.'),
        ci_logs_mb: z
          .number()
          .positive()
          .default(200)
          .describe('Oldest check logs go first. Megabytes.'),
        transcripts_mb: z
          .number()
          .positive()
          .default(200)
          .describe('Terminal transcripts of agents that ended. Megabytes.'),
        outputs_mb: z
          .number()
          .positive()
          .default(1000)
          .describe(
            'Output of sessions and tasks; the oldest go first, of a large one the middle. Megabytes.',
          ),
      })
      .prefault({}),
    store: z
      .strictObject({
        kind: z
          .enum(['sqlite', 'postgres'])
          .default('sqlite')
          .describe(
            'What the tree’s records are kept in: a file below `.git`, or a schema of a PostgreSQL database (docs/postgres.md; `exomonad store move` takes them there). Read when the daemon starts.',
          ),
        url_file: z
          .string()
          .optional()
          .describe(
            'Of kind postgres: a file with the address of the database alone, in any form that psql takes. `~/` is your home; what is relative lies in `.exomonad/`. EXOMONAD_STORE_URL goes before it. The address itself has no place in this file.',
          ),
        schema: z
          .string()
          .regex(/^[a-z_][a-z0-9_]{0,62}$/, 'Lower-case letters, digits and _, 63 at most.')
          .optional()
          .describe(
            'Of kind postgres: the schema of this tree, which is made where it is not there. Default: a name of this repository’s own.',
          ),
      })
      .prefault({}),
    mcp: z
      .strictObject({
        http: z
          .boolean()
          .default(true)
          .describe(
            'Serve MCP over HTTP on 127.0.0.1, for programs that are given EXOMONAD_MCP_URL; `exomonad mcp` works without. Read when the daemon starts.',
          ),
        port: z
          .number()
          .int()
          .min(1)
          .max(65_535)
          .optional()
          .describe(
            'Its port. Default: a free one, kept from one start of the daemon to the next. Read when the daemon starts.',
          ),
      })
      .prefault({}),
    web: webSchema,
    environment: z
      .strictObject({
        pass: z
          .array(z.string())
          .default([])
          .describe('Further variables of yours that agents may see.'),
      })
      .prefault({}),
    log: z
      .strictObject({
        level: z
          .enum(['trace', 'debug', 'info', 'warn', 'error'])
          .default('info')
          .describe('Of the daemon’s log.'),
      })
      .prefault({}),
    git: z
      .strictObject({
        checkout_workers: z
          .number()
          .int()
          .min(1)
          .default(4)
          .describe('Parallel checkout in new worktrees.'),
      })
      .prefault({}),
  })
  .meta({ id: 'Config' })

export type Config = z.output<typeof configSchema>
export type Price = z.output<typeof priceSchema>
export type AcpConfig = z.output<typeof acpSchema>
export type AgentConfig = z.output<typeof agentSchema>
