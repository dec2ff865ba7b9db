import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { Option, type Command } from 'commander'
import type { ToolInput, ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { errorLines, warningLines } from '../../text/marks.ts'
import { hasPane } from '../../text/no-terminal.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import { followSetup } from './follow-setup.ts'
import { plural } from '../../text/quantity.ts'
import { readStdin } from '../read-stdin.ts'
import { pathFrom } from '../../text/short-path.ts'
import {
  tasksFromArguments,
  tasksFromIssues,
  tasksFromText,
  type SpawnTask,
} from './spawn-tasks.ts'
import { renderTable, tableWidth } from '../../text/table.ts'

interface IssueOptions {
  readonly issue?: readonly string[]
  readonly force?: boolean
  readonly agent?: string
  readonly role?: string
  readonly sparse?: readonly string[]
  readonly dryRun?: boolean
  readonly allowDirty?: boolean
  readonly wake?: 'each' | 'all_settled'
}
interface SpawnOptions extends IssueOptions {
  readonly prompt?: string
  readonly file?: string
  readonly branch?: string
}

export function define(command: Command, context: CliContext): void {
  const kinds = [
    ['subtree', 'A tech lead that may spawn its own; for work that needs further decomposition'],
    ['workers', 'Agents that each do one concrete task'],
  ] as const
  // Of issues alone no kind need be said.
  common(command.allowExcessArguments())
    .usage('[options] [command]')
    .action(async (options: IssueOptions) => {
      const [word] = command.args
      if (word !== undefined)
        throw new UsageError(
          `Spawn what? There are subtree and workers, and --issue; “${word}” is none of them.`,
        )
      if (options.issue === undefined)
        throw new UsageError(
          'Nothing to spawn: `exomonad spawn workers NAME="what to do"`, `exomonad spawn subtree NAME="…"`, or `exomonad spawn --issue NUMBER`.',
        )
      await spawn(context, 'workers', [], options)
    })
  for (const [kind, summary] of kinds) {
    common(command.command(kind))
      .description(summary)
      .argument(
        '[tasks...]',
        'name="what to do" each, names alone with --prompt, or - for a task file from standard input',
      )
      .option(
        '-p, --prompt <text>',
        'The prompt of tasks that are only named; - reads it from standard input',
      )
      .option(
        '-f, --file <path>',
        'Tasks from a file: TOML or JSON (name → prompt), or Markdown (a heading per task)',
      )
      .option(
        '-b, --branch <branch>',
        'Adopt this existing branch, and its worktree where it has one (one task only)',
      )
      .action(
        // What both have is taken by the command above.
        async (words: string[], _own: SpawnOptions, self: Command) =>
          spawn(context, kind, words, self.optsWithGlobals()),
      )
  }
}

/** What all ways to spawn have in common. */
const common = (command: Command): Command =>
  command
    .option(
      '--issue <number...>',
      'An agent (a worker, where nothing else is said) for each of these issues on GitHub; its pull request closes it',
    )
    .option('--force', 'Spawn for an issue although an agent works on it already')
    .option(
      '-a, --agent <program>',
      'Another program than the role’s: an [agents.NAME], or acp:NAME of an [acp.NAME]',
    )
    .option('-r, --role <role>', 'A role of your own instead of the usual one')
    .option('--sparse <folder...>', 'Folders that their worktrees have in place of all')
    .addOption(
      new Option(
        '--wake <when>',
        'When news of them wakes the agent that spawns (--as): each, or all_settled, once none goes on by itself',
      )
        .choices(['each', 'all_settled'])
        .default('each'),
    )
    .option('-n, --dry-run', 'Show what would be made, make nothing')
    .option(
      '--allow-dirty',
      'Spawn although your worktree has uncommitted changes, which the agents will not see',
    )

async function spawn(
  context: CliContext,
  kind: 'subtree' | 'workers',
  words: readonly string[],
  options: SpawnOptions,
): Promise<void> {
  const tasks = (await readTasks(context, words, options)).map((task) => ({
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(options.sparse === undefined ? {} : { sparse: [...options.sparse] }),
    ...(options.role === undefined ? {} : { role: options.role }),
    ...(options.branch === undefined ? {} : { branch: options.branch }),
    ...task,
    // Left out rather than empty: they are made of the issue.
    ...(task.name === '' ? { name: undefined } : {}),
    ...(task.prompt === '' ? { prompt: undefined } : {}),
  }))
  const client = await context.client()
  const input: ToolInput<'spawn'> = {
    kind: kind === 'workers' ? 'worker' : kind,
    specs: tasks,
    ...(options.wake === undefined ? {} : { wake: options.wake }),
    allow_dirty: options.allowDirty === true,
    dry_run: options.dryRun === true,
    force: options.force === true,
  }
  const label =
    options.dryRun === true
      ? 'Looking at what would be made'
      : `Spawning ${plural(tasks.length, 'agent')}`
  const setUp = followSetup(client)
  const answer = await withProgress(
    context,
    () => `${label}${setUp.words()}`,
    client.call('spawn', input),
  ).finally(setUp.stop)
  if (answer.errors.length > 0) context.markFailed()
  present(context, answer, () => describe(context, answer))
}

async function readTasks(
  context: CliContext,
  words: readonly string[],
  options: SpawnOptions,
): Promise<SpawnTask[]> {
  const prompt = options.prompt === '-' ? await readStdin(context) : options.prompt
  const named = words.filter((word) => word !== '-')
  // Beside an issue a name needs no words of its own.
  const tasks = tasksFromArguments(named, prompt ?? (options.issue === undefined ? undefined : ''))
  if (words.includes('-'))
    tasks.push(...(await tasksFromText(await readStdin(context), 'standard input')))
  if (options.file === '-')
    tasks.push(...(await tasksFromText(await readStdin(context), 'standard input')))
  else if (options.file !== undefined)
    tasks.push(...(await tasksFromText(await readTaskFile(options.file), basename(options.file))))
  if (options.issue !== undefined) return tasksFromIssues(options.issue, tasks)
  if (tasks.length === 0)
    throw new UsageError(
      'No task: give name="what to do", --file, --issue, or - for standard input.',
    )
  if (options.branch !== undefined && tasks.length > 1)
    throw new UsageError(`--branch adopts one branch, but there are ${tasks.length} tasks.`)
  return tasks
}

async function readTaskFile(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} can’t be read: ${(error as Error).message}`)
  }
}

function describe(context: CliContext, answer: ToolResult<'spawn'>): string[] {
  const palette = context.palette()
  const { cwd } = context.options()
  const place = (path: string): string =>
    printableLine(context.elsewhere === null ? pathFrom(cwd, path) : path)
  const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string[] =>
    rows.length === 0
      ? []
      : renderTable(
          columns.map((title) => ({ title, min: 10 })),
          rows,
          { width: tableWidth(context), palette },
        )
  const errors = errorLines(answer.errors, palette)
  if ('planned' in answer) {
    const rows = answer.planned.map((plan) => [
      plan.name,
      plan.branch,
      place(plan.worktree),
      `${plan.base}@${plan.fork_point.slice(0, 8)}`,
      `${plan.agent}: ${plan.argv.map(printableLine).join(' ')}`,
    ])
    return [...table(['WOULD SPAWN', 'BRANCH', 'WORKTREE', 'FROM', 'PROGRAM'], rows), ...errors]
  }
  const rows = answer.spawned.map((agent) => [
    `✓ ${agent.name}`,
    agent.branch,
    place(agent.worktree),
    hasPane(agent.pane) ? agent.pane : 'none',
  ])
  const warnings = answer.spawned.flatMap(({ name, warnings: all }) =>
    warningLines(
      all.map((warning) => `${name}: ${warning}`),
      palette,
    ),
  )
  return [...table(['SPAWNED', 'BRANCH', 'WORKTREE', 'PANE'], rows), ...warnings, ...errors]
}
