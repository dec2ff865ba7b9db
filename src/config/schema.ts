import { z } from 'zod'
import { acpSchema, agentSchema, argv, roleSchema } from './agent-schema.ts'

/**
 * Every key of `.exomonad/config.toml`. Times are seconds unless the key says otherwise.
 * docs/reference.md is generated from here.
 */

const seconds = (fallback: number, describe: string) =>
  z.number().positive().default(fallback).describe(`${describe} Seconds.`)

const usd = z.number().min(0)

const priceSchema = z
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
      `Budget: ${what} of ${whose}. At 80 % its parent is told, at 100 % nothing more is spawned there. Default: none.`,
    )
const ALONE = 'one agent'
const BELOW = 'an agent and all below it, whether alive or not'
const TOKENS = 'tokens of every kind (read, written, cached)'
const MONEY = 'USD, by [prices],'

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
    limits: z
      .strictObject({
        max_tree_depth: z
          .number()
          .int()
          .min(0)
          .default(3)
          .describe('The deepest agent with a worktree of its own; the root is at 0.'),
        max_subagent_depth: z
          .number()
          .int()
          .min(0)
          .default(2)
          .describe('Nesting of subagent_spawn.'),
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
      .prefault({}),
    prices: z
      .record(z.string(), priceSchema)
      .default({})
      .describe(
        '[prices."MODEL"]: what a model costs. MODEL is its name as its agent CLI tells it, or the beginning of it; the longest that fits counts.',
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
    forge: z
      .strictObject({
        kind: z
          .enum(['local', 'github', 'gitea'])
          .default('local')
          .describe(
            'Where pull requests live. `exomonad init` sets it to github where it finds a GitHub remote and a token. Read when the daemon starts.',
          ),
        local: z
          .strictObject({
            remote: z
              .string()
              .optional()
              .describe(
                'A git remote for the branches. Default: a bare repository of exomonad’s own.',
              ),
            ci: argv
              .optional()
              .describe(
                'The command that checks a pull request merged with its base, run in a throwaway worktree. Without it nothing is checked.',
              ),
            ci_timeout: seconds(1800, 'After this the run is ended and counts as failed.'),
            ci_parallel: z.number().int().min(1).default(2).describe('Runs at the same time.'),
          })
          .prefault({}),
        github: z
          .strictObject({
            remote: z
              .string()
              .optional()
              .describe(
                'The git remote. Default: origin where it is on GitHub, else the only one that is. Read when the daemon starts.',
              ),
            host: z
              .string()
              .optional()
              .describe(
                'Where the remote’s URL doesn’t tell, such as an ssh alias. Default: the remote’s host.',
              ),
            repository: z
              .string()
              .regex(/^[^/\s]+\/[^/\s]+$/, 'OWNER/NAME')
              .optional()
              .describe('OWNER/NAME, where the remote’s URL doesn’t tell.'),
            api_url: z.url().optional().describe('Of the REST API. Default: by the host.'),
            graphql_url: z.url().optional().describe('Of the GraphQL API. Default: by the host.'),
            token_file: z
              .string()
              .optional()
              .describe(
                'A file with the token alone. Default: GH_TOKEN, then GITHUB_TOKEN (GH_ENTERPRISE_TOKEN on other hosts), then `gh auth token`.',
              ),
            app_id: z
              .number()
              .int()
              .min(1)
              .optional()
              .describe(
                'A GitHub App that speaks for the tree, by the id in its settings. Its tokens renew themselves; where it is set, it alone counts. Read when the daemon starts.',
              ),
            app_key_file: z
              .string()
              .optional()
              .describe('A file with the app’s private key. Required with app_id.'),
            app_installation_id: z
              .number()
              .int()
              .min(1)
              .optional()
              .describe('Of the app. Default: the one that the repository is in.'),
            trusted_bots: z
              .array(z.string())
              .default([])
              .describe(
                'Logins of bots whose words may reach agents, such as "dependabot[bot]". Copilot’s may where it was asked for a review.',
              ),
            copilot_review: z
              .boolean()
              .default(true)
              .describe(
                'Ask Copilot to review each pull request that is filed and not a draft. Where it can’t be had, file_pr says so.',
              ),
            spawn_label: z
              .string()
              .regex(/^[^,\s](?:[^,]*[^,\s])?$/, 'the name of a label, without a comma')
              .optional()
              .describe(
                'Open issues with this label get a worker each, below the root. Only where somebody who may write to the repository set it. Default: none.',
              ),
            status_comment: z
              .boolean()
              .default(false)
              .describe(
                'Keep one comment on the root’s pull request: the tree below it, with states and links. Off by default: it is written under your account, where others read.',
              ),
            delete_branch: z
              .boolean()
              .default(false)
              .describe(
                'Delete the head branch on GitHub after a merge, once nothing is based on it.',
              ),
            reserve: z
              .number()
              .min(0)
              .max(0.9)
              .default(0.2)
              .describe('Share of the rate limit that is left to you and your other tools.'),
            checks_expected_within: z
              .number()
              .min(0)
              .default(180)
              .describe(
                'A head that no check has begun on is pending for so long where the last pull requests into its base had checks, or a workflow runs for it. Then it counts as unchecked. 0: it does at once. Seconds.',
              ),
            webhook_port: z
              .number()
              .int()
              .min(1)
              .max(65_535)
              .optional()
              .describe(
                'Take GitHub’s webhooks here; they only make exomonad look sooner. Default: none. Read when the daemon starts.',
              ),
            webhook_host: z
              .string()
              .default('127.0.0.1')
              .describe(
                'Where webhooks are listened for. Other than loopback only behind TLS of your own.',
              ),
            webhook_secret_file: z
              .string()
              .optional()
              .describe('A file with the webhook’s secret alone. Required with webhook_port.'),
          })
          .prefault({}),
        gitea: z
          .strictObject({
            url: z
              .url()
              .optional()
              .describe(
                'Address of the Gitea or Forgejo server. Required with kind = "gitea". Read when the daemon starts.',
              ),
            remote: z
              .string()
              .optional()
              .describe(
                'The git remote. Default: origin, else the only one. Read when the daemon starts.',
              ),
            repository: z
              .string()
              .regex(/^[^/\s]+\/[^/\s]+$/, 'OWNER/NAME')
              .optional()
              .describe('OWNER/NAME, where the remote’s URL doesn’t tell.'),
            token_file: z
              .string()
              .optional()
              .describe('A file with the token alone. Default: GITEA_TOKEN, then FORGEJO_TOKEN.'),
            delete_branch: z
              .boolean()
              .default(false)
              .describe('Delete the head branch there after a merge, once nothing is based on it.'),
          })
          .prefault({}),
        poll_active: seconds(30, 'Between looks at pull requests with checks or reviews pending.'),
        poll_idle: seconds(300, 'Between looks at all others.'),
        review_timeout: seconds(900, 'No review after this: the parent is told.'),
        review_timeout_after_fixes: seconds(300, 'The same, after fixes were pushed.'),
        stalled_rounds: z
          .number()
          .int()
          .min(1)
          .default(5)
          .describe('Rounds of review or checks without green before the parent is told.'),
        stalled_after: seconds(
          1800,
          'No progress on a pull request for this long: the parent is told.',
        ),
      })
      .prefault({}),
    worktree: z
      .strictObject({
        include: z
          .array(z.string())
          .default([])
          .describe(
            'Globs of ignored files (and links that stay inside) that new worktrees get, such as ".env".',
          ),
        setup: z
          .array(argv)
          .default([])
          .describe(
            'Commands run in a new worktree before its agent starts (see EXOMONAD_*); a failure undoes the spawn.',
          ),
        setup_timeout: seconds(600, 'For each setup command.'),
      })
      .prefault({}),
    question: z
      .strictObject({
        timeout: seconds(300, 'How long `question` blocks before it answers “pending”.'),
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
        silent_after: seconds(1800, 'No sign of life for this long: the parent is told.'),
      })
      .prefault({}),
    notify: z
      .strictObject({
        command: argv
          .optional()
          .describe('Run when a human is needed; the text is its last argument.'),
        bell: z
          .boolean()
          .default(true)
          .describe('Ring the terminal bell in `exomonad tree --watch`.'),
      })
      .prefault({}),
    retention: z
      .strictObject({
        events_days: z
          .number()
          .positive()
          .default(90)
          .describe('Events older than this are removed. Days.'),
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
