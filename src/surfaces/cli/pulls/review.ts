import { printableLine } from '../../text/printable.ts'
import { plural } from '../../text/quantity.ts'
import type { CommandModule } from '../command-module.ts'
import type { CliContext } from '../context.ts'
import { UsageError } from '../exit-codes.ts'
import { present } from '../output.ts'
import { readStdin } from '../read-stdin.ts'
import { parseLineComment, parseReplies } from './line-comment.ts'
import { pullNumber } from './pull-number.ts'

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

/** `exomonad pr review`: its options are no fields of the tool, but short for some. */
export const review: CommandModule = {
  define: (command, context) => {
    command
      .description(
        'Approve a pull request, request changes, or comment; answer and resolve conversations',
      )
      .argument('<pr>', 'Its number, or the branch or name of its agent')
      .option('--approve', 'It can be merged')
      .option('--request-changes', 'Something must be fixed first')
      .option('--comment', 'Neither')
      .option('-m, --message <text>', 'The review’s text; - reads it from standard input', '')
      .option(
        '--at <comment>',
        'A comment on a line, as "src/a.ts:12 text", on a range, as "src/a.ts:3-7 text", on a deleted line, as "src/a.ts:-12 text", or on a file, as "src/a.ts: text"; repeatable',
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
      .action(async (pull: string, options: ReviewOptions) => reviewPull(context, pull, options))
  },
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
      : [`${good} Answered or resolved ${plural(answer.replies, 'conversation')} of #${number}`]),
  ])
}
