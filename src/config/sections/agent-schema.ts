import { AGENT_CLI_NAMES } from '../../adapters/agent-cli/known.ts'
import { z } from 'zod'
import { parseSize } from '../../domain/formats/resource-limits.ts'
import { placeWithin } from './worktree-schema.ts'
import { argv } from './schema-fields.ts'

export const sandboxLevel = z.enum(['off', 'workspace', 'offline'])

/** Less holds no agent CLI. Bytes, and processes and threads. */
const LEAST_MEMORY = 64 * 1024 ** 2
const LEAST_PROCESSES = 16

/** Of `[roles.NAME]` and `[agents.NAME]`: what one agent may use of the machine. */
const resourceLimitsSchema = z
  .strictObject({
    memory: z
      .string()
      .refine(
        (text) => (parseSize(text) ?? 0) >= LEAST_MEMORY,
        'Write a size such as "4GiB" or "512MiB", of at least 64MiB.',
      )
      .optional()
      .describe(
        'Memory that an agent and all that it starts have together, such as "4GiB". What needs more is ended. Default: none.',
      ),
    processes: z
      .number()
      .int()
      .min(LEAST_PROCESSES)
      .optional()
      .describe(
        'Processes and threads that it and all that it starts have together. More are refused. Default: none.',
      ),
    cpu_weight: z
      .number()
      .int()
      .min(1)
      .max(10_000)
      .optional()
      .describe(
        'Its share of the processors while others want them too, who have 100 each. Default: 100.',
      ),
  })
  .optional()

/** Of `.exomonad/config.toml` what says which programs are agents, and of which roles. */

export const agentSchema = z
  .strictObject({
    adapter: z
      .enum([...AGENT_CLI_NAMES, 'command'])
      .describe(
        'How exomonad talks to this program: as an agent CLI it knows, or `command`: any program that reads its terminal.',
      ),
    command: argv.describe(
      'The program and its arguments; of an agent CLI the program, to which exomonad adds what it needs. Of adapter `command`, with placeholders: {{prompt}}, {{prompt_file}}, {{worktree}}, {{branch}}, {{name}}, {{agent_id}}, {{role}}, {{session_id}}, {{transcript}}, {{node}} (the daemon’s own Node).',
    ),
    resume_command: argv
      .optional()
      .describe(
        'Used by `exomonad resume NAME`; without it the command is run again. Same placeholders.',
      ),
    model: z
      .string()
      .optional()
      .describe(
        'The model, in the program’s own words. Default: the program’s own. Not for adapter `command`.',
      ),
    args: z
      .array(z.string())
      .default([])
      .describe('Further arguments for an agent CLI, before the task. Not for adapter `command`.'),
    tools: z
      .array(z.string())
      .optional()
      .describe('Of the tools of its role only these. Default: all of them.'),
    env: z.record(z.string(), z.string()).default({}).describe('Extra environment variables.'),
    acks: z
      .boolean()
      .default(false)
      .describe(
        'The program confirms each message with `exomonad ack`; without, a message typed into its pane stays “sent”.',
      ),
    reports_state: z
      .boolean()
      .default(false)
      .describe(
        'The program says when it starts and ends a turn (`exomonad hook prompt|stop`); messages then wait until it is idle. Without, it is typed to at any time.',
      ),
    sandbox: sandboxLevel
      .optional()
      .describe('As [roles.ROLE] sandbox, for all that this program runs; the stricter counts.'),
    limits: resourceLimitsSchema.describe(
      'As [roles.ROLE] limits, for all that this program runs; of each the lower counts.',
    ),
    enter_delay_ms: z
      .number()
      .int()
      .min(0)
      .default(50)
      .describe('Between the paste and Enter. Milliseconds.'),
  })
  .meta({ id: 'AgentConfig' })

export const acpSchema = z
  .strictObject({
    command: argv.describe(
      'A program that speaks the Agent Client Protocol on its standard input and output, and its arguments.',
    ),
    model: z
      .string()
      .optional()
      .describe('The model, in the agent’s own words, where it offers a choice. Default: its own.'),
    mode: z
      .string()
      .optional()
      .describe(
        'The session mode, in the agent’s own words, where it offers a choice. Default: its own.',
      ),
    permission: z
      .enum(['allow', 'deny', 'ask'])
      .default('ask')
      .describe(
        'What it asks permission for: allow or deny all of it, or ask the human. What [roles.ROLE] permissions says goes first.',
      ),
    allow: z
      .array(z.string())
      .default([])
      .describe(
        'Allowed without asking: beginnings of what a tool call is called, or its kind (read, edit, delete, move, search, execute, think, fetch).',
      ),
    tools: z
      .array(z.string())
      .optional()
      .describe('Of the tools of its role only these. Default: all of them.'),
    env: z.record(z.string(), z.string()).default({}).describe('Extra environment variables.'),
    limits: resourceLimitsSchema.describe(
      'As [roles.ROLE] limits, for all that this program runs; of each the lower counts.',
    ),
  })
  .meta({ id: 'AcpConfig' })

export const roleSchema = z
  .strictObject({
    agent: z
      .string()
      .optional()
      .describe(
        'The [agents.NAME] that runs agents of this role; with runtime "acp" an [acp.NAME], or the one that belongs to that agent CLI.',
      ),
    runtime: z
      .enum(['pane', 'acp'])
      .default('pane')
      .describe(
        'pane: its agents have a terminal. acp: they are sessions of the Agent Client Protocol without one; `exomonad attach` shows their stream.',
      ),
    tools: z
      .array(z.string())
      .optional()
      .describe('For roles of your own: the tools they may call. tl has all, dev its fixed list.'),
    sparse: z
      .array(placeWithin)
      .optional()
      .describe(
        'Folders of its worktrees in place of those of `worktree.sparse`; [] for all files.',
      ),
    sandbox: sandboxLevel
      .default('off')
      .describe(
        'What its agents, and all below them, may reach. off: whatever you may. workspace: they write their worktree and their part of the git folder, and see nothing else that is yours but the settings of their agent CLI; the network is open. offline: the same, and of the network only the hosts of their model and [sandbox] allow_hosts. The root, in your own checkout, is never confined.',
      ),
    limits: resourceLimitsSchema.describe(
      'What each of its agents may use of the machine, with all that it starts, its background tasks among it. With and without a sandbox. What can’t be kept on this machine is refused; `exomonad doctor` tries it. Default: whatever there is.',
    ),
    permissions: z
      .strictObject({
        policy: z
          .enum(['off', 'ask', 'list', 'all'])
          .default('off')
          .describe(
            'Who decides over what the agent CLI would ask a person about. off: the CLI asks in its terminal. ask: it is put to your inbox as well, where the CLI lets it be answered. list: what `allow` names is not asked about. all: nothing is, as if you had said so to the CLI.',
          ),
        allow: z
          .array(z.string())
          .default([])
          .describe('For policy `list`: in the CLI’s own words, such as "Bash(git commit:*)".'),
      })
      .prefault({}),
  })
  .meta({ id: 'RoleConfig' })
