import type { ToolArguments, ToolResult } from '../../../tools/types.ts'
import { errorLines, warningLines } from '../../text/marks.ts'
import { whereItRuns } from '../../text/no-terminal.ts'
import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import { shortPath } from '../../text/short-path.ts'
import { renderTable } from '../../text/table.ts'
import { UsageError } from '../exit-codes.ts'
import { isAgent } from '../is-agent.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { commandGroup, toolCommand } from '../tool-command.ts'
import { captureGroup } from './capture-commands.ts'

export const up = toolCommand('up', {
  flags: { attach: '--attach  Show the root’s terminal, or its stream, at once' },
  prepare: ({ task = '', ...given }) => (task.trim() === '' ? given : { ...given, task }),
  call: async ({ client, context, input, flags }) => {
    const launched = client.call('up', input)
    const answer = await withProgress(context, 'Launching the root’s agent', launched)
    if (!flags.attach) return answer
    return (await import('./attach.ts')).showTerminal(context, answer.agent_id, false)
  },
  show: ({ already, pane, warnings }, { palette }) => [
    `${palette.good('✓')} ${already ? 'The root’s agent was running already' : 'The root’s agent runs'} ${palette.dim(whereItRuns(pane))}`,
    ...warningLines(warnings, palette),
    `  ${palette.dim('all on one screen')}   exomonad console   ${palette.dim('what it shows')}   exomonad attach root`,
  ],
})

export const resume = toolCommand('resume', {
  flags: { all: '--all  Every agent whose program is gone' },
  prepare: (given, { flags }) => {
    if ((given.agent === undefined) !== flags.all)
      throw new UsageError(
        'Whom? `exomonad resume NAME` for one agent, `exomonad resume --all` for each whose program is gone.',
      )
    return given
  },
  progress: 'Launching again',
  failed: ({ errors }) => errors.length > 0,
  show: ({ resumed, errors }, { palette }) =>
    resumed.length + errors.length === 0
      ? ['Nothing to do: every agent’s program runs']
      : [
          ...resumed.flatMap(({ name, session, pane, warnings }) => [
            `${palette.good('✓')} ${printableLine(name)} ${palette.dim(`${session} session, ${whereItRuns(pane)}`)}`,
            ...warningLines(warnings, palette),
          ]),
          ...errorLines(errors, palette),
        ],
})

export const tree = toolCommand('tree', {
  flags: {
    all: '-a, --all  A line for each agent, also of branches that are finished',
    watch:
      '-w, --watch  Keep showing it, live, until Ctrl-C or q; arrow keys, PgUp and PgDn scroll',
  },
  call: async ({ client, context, input, flags }) => {
    if (!flags.watch) return client.call('tree', input)
    const all = isUnfolded(input, flags.all)
    return (await import('./tree-watch.ts')).watchTree(context, client, { input, all })
  },
  show: async (view, { context, palette, input, flags }) =>
    (await import('../../text/tree/tree-view.ts')).renderTree(
      { ...view, repository: shortPath(view.repository, context.environment.home) },
      { width: context.width(), palette, all: isUnfolded(input, flags.all) },
    ),
})

/** Whoever looks for something sees each agent that it is. */
const isUnfolded = (
  { text, state, needs_me: needsMe }: ToolArguments<'tree'>,
  all: boolean,
): boolean => all || text !== undefined || state !== undefined || needsMe

export const radar = toolCommand('radar', {
  prepare: ({ a, b }) => (a === undefined ? {} : b === undefined ? { a } : { a, b }),
  show: async ({ pairs, pair }, look) => {
    const { radarDetail, radarMatrix } = await import('../../text/radar/radar-view.ts')
    return pair === undefined ? radarMatrix(pairs ?? [], look) : radarDetail(pair, look)
  },
})

export const root = commandGroup({
  move: toolCommand('move_root', {
    show: ({ from, to, worktree, moved, warnings }, { context, palette }) => {
      const place = printableLine(shortPath(worktree, context.environment.home))
      const before = printableLine(from)
      if (!moved)
        return [
          `The tree grows from ${printableLine(to)} already, which is checked out in ${place}`,
        ]
      return [
        `${palette.good('✓')} The tree grows from ${palette.bold(printableLine(to))} now (${place})`,
        `  Agents of ${before} stay as they are: what they file goes into ${before}, and you answer and merge as before.`,
        ...warningLines(warnings, palette),
      ]
    },
  }),
})

const CONTEXTS: Readonly<Record<ToolResult<'fork'>['context'], string>> = {
  forked: 'with the conversation so far',
  transcript: 'with what the terminal shows so far, as a file',
  fresh: 'fresh',
}

export const fork = toolCommand('fork', {
  progress: 'Forking',
  instead: ({ prompt }, { context }) => {
    if (prompt !== undefined) return undefined
    if (!isAgent(context.environment)) return 'fork_capture'
    throw new UsageError('An agent’s fork needs a name and a prompt: `exomonad fork NAME "PROMPT"`')
  },
  show: (forked, { palette }) => {
    const captured =
      'captured' in forked
        ? forked.captured === true
          ? '; it does what was captured'
          : '; it waits for what you send it'
        : ''
    return [
      `${palette.good('✓')} Forked ${palette.bold(printableLine(forked.name))} ${palette.dim(printableLine(forked.agent_id))}, ${CONTEXTS[forked.context]}${captured}`,
      ...warningLines(forked.warnings, palette),
    ]
  },
})

export const usage = toolCommand('usage', {
  show: async (used, run) => (await import('./usage-lines.ts')).usageLines(used, run),
})

export const interrupt = toolCommand('interrupt', {
  show: ({ interrupted }, { palette, input }) => [
    interrupted
      ? `${palette.good('✓')} ${printableLine(input.agent)} was interrupted; it waits for what you tell it`
      : `${printableLine(input.agent)} rests: there was nothing to interrupt`,
  ],
})

export const kill = toolCommand('kill_agents', {
  prepare: (given) => {
    if ((given.agents ?? []).length === 0 && given.done !== true)
      throw new UsageError('Name the agents to kill, or give --done.')
    return given
  },
  show: ({ killed }, { palette, input }) => {
    const names = input.agents ?? []
    if (names.length === 0) {
      return killed.length === 0
        ? ['No agent is done']
        : [
            `${palette.good('✓')} Killed ${plural(killed.length, 'agent')}; branches, worktrees and pull requests stay (\`exomonad clean\`)`,
          ]
    }
    const below = killed.length - names.length
    const more = below > 0 ? ` and ${plural(below, 'agent')} ${input.done ? 'more' : 'below'}` : ''
    return [
      `${palette.good('✓')} Killed ${printableLine(names.join(', '))}${more}; branches, worktrees and pull requests stay`,
    ]
  },
})

export const reap = toolCommand('reap', {
  show: ({ reaped }, { palette }) => [
    reaped.length === 0
      ? 'No agent has ended'
      : `${palette.good('✓')} ${plural(reaped.length, 'ended agent')} out of sight; branches, worktrees and pull requests stay (\`exomonad clean\`)`,
  ],
})

export const capture = captureGroup(reap)

export const clean = toolCommand('clean', {
  progress: 'Looking at what is merged',
  show: ({ removed, kept, setup_cache: cache }, run) => {
    const { palette, input } = run
    const dropped =
      cache === undefined
        ? []
        : [
            `${palette.good('✓')} dropped what set-up commands made: ${plural(cache.entries, 'entry', 'entries')}, ${Math.round(cache.bytes / 1e6)} MB`,
          ]
    if (removed.length + kept.length === 0)
      return dropped.length > 0 ? dropped : ['Nothing to clean']
    const gone = { text: input.dry_run ? '✓ would go' : '✓ removed', paint: palette.good }
    const table = renderTable(
      [
        { title: '' },
        { title: 'AGENT', min: 8 },
        { title: 'BRANCH', min: 12 },
        { title: 'WHY', min: 12 },
      ],
      [
        ...removed.map(({ agent, branch }) => [gone, agent, branch, 'proven merged']),
        ...kept.map(({ agent, branch, reason }) => [
          { text: '○ kept', paint: palette.dim },
          agent,
          branch,
          reason,
        ]),
      ],
      run,
    )
    const warnings = removed.flatMap(({ agent, warnings: all = [] }) =>
      all.map((warning) => `${agent}: ${warning}`),
    )
    return [...table, ...dropped, ...warningLines(warnings, palette)]
  },
})

const screens = () => import('./follow-screen.ts')

export const logs = toolCommand('screen', {
  flags: { follow: '-f, --follow  Go on with new lines until Ctrl-C' },
  isExact: true,
  call: async ({ client, context, input, flags }) =>
    flags.follow
      ? (await screens()).followScreen(context, client, input.agent, input.lines)
      : client.call('screen', input),
  show: async (screen) => (await screens()).linesOf(screen),
})

export const attach = toolCommand('attach', {
  flags: { print: '--print  Print the command that shows it, run nothing' },
  call: async ({ context, input, flags }) =>
    (await import('./attach.ts')).showTerminal(context, input.agent, flags.print),
})

const statuses = () => import('./status.ts')

export const status = toolCommand('agent_status', {
  flags: {
    watch: '-w, --watch  Keep showing sessions and processes with what they do, live, until Ctrl-C',
    short: '--short  For a shell’s prompt: how many agents work (◐) and items need you (!)',
  },
  alone: async (given, { context, flags }) => {
    if (!flags.short) return false
    if (given.agent_id !== undefined)
      throw new UsageError('--short counts in the whole tree: leave the agent out.')
    const { attentionWords, readAttention } = await import('./short-status.ts')
    const attention =
      context.elsewhere === null
        ? await readAttention(context.options().cwd, context.environment)
        : await (await context.client()).call('attention', {})
    if (attention !== null) present(context, attention, () => [attentionWords(attention)])
    return true
  },
  call: async ({ client, context, input, flags }) =>
    flags.watch
      ? (await statuses()).watchStatus(context, client, input.agent_id)
      : client.call('agent_status', input),
  show: async (read, run) =>
    (await statuses()).statusTable('agents' in read ? read.agents : [read], run.context.now(), run),
})
