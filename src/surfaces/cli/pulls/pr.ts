import { Option, type Command } from 'commander'
import type { ToolInput, ToolResult } from '../../../tools/types.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { present } from '../output.ts'
import { printableLine } from '../../text/printable.ts'
import { withProgress } from '../progress.ts'
import type { PullState } from './pr-show.ts'
import { pullNumber } from './pull-number.ts'
import { parseLineComment, parseReplies } from './line-comment.ts'
import { readStdin } from '../read-stdin.ts'

const NUMBER = 'Its number, or the branch or name of its agent'

export function define(command: Command, context: CliContext): void {
  command
    .command('list')
    .description('List pull requests')
    .addOption(
      new Option('-s, --state <state>', 'Which')
        .choices(['open', 'merged', 'closed', 'all'])
        .default('open'),
    )
    .action(async (options: { state: PullState }) =>
      (await import('./pr-show.ts')).listPulls(context, options.state),
    )
  command
    .command('show')
    .description('Show a pull request: text, reviews with line comments, checks')
    .argument('<pr>', NUMBER)
    .action(async (pr: string) => (await import('./pr-show.ts')).showPull(context, pr))
  command
    .command('diff')
    .description('Print a pull request’s diff')
    .argument('<pr>', NUMBER)
    .action(async (pr: string) => (await import('./pr-show.ts')).showDiff(context, pr))
  command
    .command('checks')
    .description('Show the checks of a pull request’s head; exits with 1 where they failed')
    .argument('<pr>', NUMBER)
    .option('-l, --log <check>', 'Print the whole log of this check')
    .option('--rerun', 'Run them again on the same head; those that run are left alone')
    .action(async (pr: string, options: { log?: string; rerun?: boolean }) =>
      (await import('./pr-show.ts')).showChecks(context, pr, options),
    )
  command
    .command('file')
    .description('Push the branch and file a pull request against its parent’s branch')
    .requiredOption('-t, --title <text>', 'One line that says what the change does')
    .option(
      '-b, --body <text>',
      'What changed, why, and how it was checked; - reads it from standard input',
      '',
    )
    .option('--draft', 'Not ready to be merged yet')
    .action(async (options: { title: string; body: string; draft?: boolean }) =>
      filePull(context, options),
    )
  command
    .command('merge')
    .description('Merge a child’s pull request and bring it into the parent’s worktree')
    .argument('<pr>', NUMBER)
    .addOption(
      new Option('-s, --strategy <how>', 'Default: squash for workers, merge for subtrees').choices(
        ['squash', 'merge', 'rebase'],
      ),
    )
    .option('--wait', 'Wait until it is merged, where it lands or GitHub merges it by itself')
    .option(
      '--when-ready',
      'Where something is missing that comes by itself, have GitHub merge it then (auto-merge)',
    )
    .option('--force', 'Override checks and reviews; never conflicts')
    .action(async (pr: string, options: MergeOptions) => mergePull(context, pr, options))
  command
    .command('review')
    .description(
      'Approve a pull request, request changes, or comment; answer and resolve conversations',
    )
    .argument('<pr>', NUMBER)
    .option('--approve', 'It can be merged')
    .option('--request-changes', 'Something must be fixed first')
    .option('--comment', 'Neither')
    .option('-m, --message <text>', 'The review’s text; - reads it from standard input', '')
    .option(
      '--at <comment>',
      'A comment on a line, as "src/a.ts:12 text", or on a file, as "src/a.ts: text"; repeatable',
      collect,
      [],
    )
    .option(
      '--reply <answer>',
      'An answer to a line comment, as "ID text", with its id from pr show; repeatable',
      collect,
      [],
    )
    .option(
      '--resolve <id>',
      'Resolve the conversation of this line comment; repeatable',
      collect,
      [],
    )
    .action(async (pr: string, options: ReviewOptions) => reviewPull(context, pr, options))
}

interface ReviewOptions {
  readonly approve?: boolean
  readonly requestChanges?: boolean
  readonly comment?: boolean
  readonly message: string
  readonly at: readonly string[]
  readonly reply: readonly string[]
  readonly resolve: readonly string[]
}

const collect = (value: string, before: readonly string[]): string[] => [...before, value]

async function filePull(
  context: CliContext,
  options: { title: string; body: string; draft?: boolean },
): Promise<void> {
  const body = options.body === '-' ? await readStdin(context) : options.body
  const client = await context.client()
  const filing = client.call('file_pr', {
    title: options.title,
    body,
    draft: options.draft === true,
  })
  const answer = await withProgress(context, 'Filing the pull request', filing)
  const palette = context.palette()
  present(context, answer, () => [
    `${palette.good('✓')} ${answer.created ? 'Filed' : 'Updated'} #${answer.pr_number}: ${printableLine(answer.head_branch)} → ${printableLine(answer.base_branch)}`,
    `  ${palette.dim(printableLine(answer.pr_url))}`,
    ...answer.warnings.map((warning) => `${palette.attention('!')} ${printableLine(warning)}`),
  ])
}

interface MergeOptions {
  readonly strategy?: ToolInput<'merge_pr'>['strategy']
  readonly force?: boolean
  readonly wait?: boolean
  readonly whenReady?: boolean
}

async function mergePull(context: CliContext, pr: string, options: MergeOptions): Promise<void> {
  const client = await context.client()
  const number = await pullNumber(client, pr)
  const input = {
    pr_number: number,
    force: options.force === true,
    wait: options.wait === true,
    when_ready: options.whenReady === true,
    ...(options.strategy === undefined ? {} : { strategy: options.strategy }),
  }
  const answer = await withProgress(context, `Merging #${number}`, client.call('merge_pr', input))
  const palette = context.palette()
  present(context, answer, () => [
    answer.sha === null
      ? `${palette.attention('●')} #${number} is ${GOING[answer.state] ?? 'landing'}${answer.position === undefined ? '' : ` (position ${answer.position})`}`
      : `${palette.good('✓')} Merged #${number} as ${answer.sha.slice(0, 10)}`,
    ...(answer.local_synced || answer.sha === null
      ? []
      : [
          `${palette.attention('!')} Your worktree does not have it yet: ${printableLine(answer.pull_error ?? 'unknown reason')}`,
        ]),
    ...(answer.retargeted.length > 0
      ? [`  retargeted: ${answer.retargeted.map((other) => `#${other}`).join(', ')}`]
      : []),
    ...(answer.siblings_behind.length > 0
      ? [`  now behind: ${answer.siblings_behind.map(printableLine).join(', ')}`]
      : []),
    ...(answer.next === '' ? [] : [palette.dim(`  ${printableLine(answer.next)}`)]),
  ])
}

const GOING: Readonly<Partial<Record<ToolResult<'merge_pr'>['state'], string>>> = {
  queued: 'queued',
  auto_merge: 'set to auto-merge',
}

async function reviewPull(context: CliContext, pr: string, options: ReviewOptions): Promise<void> {
  const verdicts = [
    options.approve === true && ('approve' as const),
    options.requestChanges === true && ('request_changes' as const),
    options.comment === true && ('comment' as const),
  ].filter((verdict) => verdict !== false)
  const [verdict] = verdicts
  const replies = parseReplies(options.reply, options.resolve)
  if (verdicts.length > 1 || (verdict === undefined && replies.length === 0))
    throw new UsageError('Give one of --approve, --request-changes and --comment.')
  const comments = options.at.map(parseLineComment)
  const body = options.message === '-' ? await readStdin(context) : options.message
  const hasWords = body.trim() !== '' || comments.length > 0
  if (verdict === undefined && hasWords)
    throw new UsageError(
      'Give one of --approve, --request-changes and --comment with --message and --at.',
    )
  if (verdict !== undefined && verdict !== 'approve' && !hasWords)
    throw new UsageError('Say what you mean: give --message or --at.')
  const client = await context.client()
  const number = await pullNumber(client, pr)
  const input = {
    pr_number: number,
    ...(verdict === undefined ? {} : { verdict }),
    body,
    comments,
    replies,
  }
  const answer = await client.call('pr_review', input)
  const good = context.palette().good('✓')
  present(context, answer, () => [
    ...(answer.state === null
      ? []
      : [`${good} Reviewed #${number}: ${printableLine(answer.state).replace('_', ' ')}`]),
    ...(answer.replies === 0
      ? []
      : [
          `${good} Answered or resolved ${answer.replies} conversation${answer.replies === 1 ? '' : 's'} of #${number}`,
        ]),
  ])
}
