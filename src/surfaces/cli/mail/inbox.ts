import type { ItemType } from '../../../domain/inbox-items.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { ToolResult } from '../../../tools/types.ts'
import type { Client } from '../../client.ts'
import type { Inbox } from '../../text/inbox/inbox-answer.ts'
import type { Palette } from '../../text/palette.ts'
import { printableLine } from '../../text/printable.ts'
import { UsageError } from '../exit-codes.ts'
import { present } from '../output.ts'
import { withProgress } from '../progress.ts'
import { readStdin } from '../read-stdin.ts'
import { idShownAs, rememberShown } from './shown-items.ts'
import type { ToolRun } from '../tool-command.ts'

type Flag = 'all' | 'approve' | 'merge'
type Item = Inbox['items'][number]

/** What a person does with an item. `words`: the answer, or the reason. */
interface Action {
  readonly kind: 'answer' | 'approve' | 'deny' | 'merge'
  readonly words?: string
}

const FITS: Readonly<Record<Action['kind'], readonly ItemType[]>> = {
  answer: ['question'],
  approve: ['permission', 'approval'],
  deny: ['permission', 'approval'],
  merge: ['pull'],
}

/** What was asked for on the command line, if anything. UsageError where it makes no sense. */
export function actionOf(
  item: string | undefined,
  { flags, values }: Pick<ToolRun<'inbox', Flag>, 'flags' | 'values'>,
): Action | undefined {
  const { answer, deny } = values
  const actions: Action[] = [
    ...(typeof answer === 'string' ? [{ kind: 'answer', words: answer } as const] : []),
    ...(flags.approve ? [{ kind: 'approve' } as const] : []),
    ...(deny === undefined
      ? []
      : [{ kind: 'deny', ...(deny === true ? {} : { words: deny }) } as const]),
    ...(flags.merge ? [{ kind: 'merge' } as const] : []),
  ]
  const [action, other] = actions
  if (other !== undefined)
    throw new UsageError(`--${action?.kind} and --${other.kind} go not together: give one of them.`)
  if (action !== undefined && item === undefined)
    throw new UsageError(
      `--${action.kind} needs the number or id of an item: \`exomonad inbox 1 --${action.kind}\`.`,
    )
  return action
}

/** Reads the inbox, and keeps which items have which numbers where it shows them. */
export async function readShowing({
  client,
  context,
  input,
}: Pick<ToolRun<'inbox'>, 'client' | 'context' | 'input'>): Promise<Inbox> {
  const inbox = await client.call('inbox', input)
  const whole = [input.item, input.agent, input.type].every((narrowing) => narrowing === undefined)
  await rememberShown(context, inbox.items, { whole })
  return inbox
}

/** Reads the inbox; where something is to be done with an item, does and reports that instead. */
export async function readOrSettle(run: ToolRun<'inbox', Flag>): Promise<Inbox | undefined> {
  const { client, context, palette, input } = run
  const action = actionOf(input.item, run)
  const meant = input.item === undefined ? undefined : await idShownAs(context, input.item)
  if (action === undefined)
    return readShowing({
      client,
      context,
      input: meant === undefined ? input : { ...input, item: meant },
    })
  const { items } = await client.call('inbox', { item: meant })
  const [item] = items
  // `next`, and there is none.
  if (item === undefined) throw new ExomonadError('INVALID_ARG', 'Nothing needs you.')
  requireFitting(item, action)
  const words =
    action.kind === 'answer' && action.words === '-' ? await readStdin(context) : action.words
  const label = `${LABELS[action.kind]} ${printableLine(item.id)}`
  const { result, lines } = await withProgress(
    context,
    label,
    settle(client, item, { ...action, ...(words === undefined ? {} : { words }) }, palette),
  )
  present(context, result, () => lines)
  return undefined
}

const LABELS: Readonly<Record<Action['kind'], string>> = {
  answer: 'Answering',
  approve: 'Approving',
  deny: 'Denying',
  merge: 'Merging',
}

const NAMES: Readonly<Record<ItemType, string>> = {
  question: 'a question',
  permission: 'a question for permission',
  approval: 'a question for approval',
  terminal: 'a wait in a terminal',
  pull: 'a pull request',
  failed: 'a failure',
  delivery: 'a message that may not have arrived',
}

/** Nothing is done with what is no item of that kind. */
function requireFitting(item: Item, { kind }: Action): void {
  if (FITS[kind].includes(item.type)) return
  throw new ExomonadError(
    'INVALID_ARG',
    `Item ${item.number} is ${NAMES[item.type]} (${item.title}): --${kind} is for ${FITS[kind].map((type) => NAMES[type]).join(' and ')}. Nothing was done. This one is settled by ${item.settle.map((command) => `\`${command}\``).join(' or ')}.`,
    { item: item.id, type: item.type },
  )
}

async function settle(
  client: Client,
  item: Item,
  { kind, words }: Action,
  palette: Palette,
): Promise<{ result: unknown; lines: string[] }> {
  const key = item.id.slice(item.id.indexOf(':') + 1)
  const who = printableLine(item.agent ?? '')
  if (kind === 'merge') {
    const number = Number(key)
    const result: ToolResult<'merge_pr'> = await client.call('merge_pr', { pr_number: number })
    const { mergedLines } = await import('../pulls/merged-lines.ts')
    return { result, lines: mergedLines(result, number, palette) }
  }
  if (kind === 'answer') {
    const result = await client.call('answer_question', {
      agent: item.agent_id ?? who,
      message: words ?? '',
      question_id: key,
    })
    const where = result.status === 'delivered' ? 'Delivered to' : 'On its way to'
    return { result, lines: [`${palette.good('✓')} ${where} ${who} ${palette.dim(`(${key})`)}`] }
  }
  const result = await client.call(kind, {
    approval_id: key,
    ...(words === undefined ? {} : { reason: words }),
  })
  return {
    result,
    lines: [
      `${palette.good('✓')} ${result.decision === 'approved' ? 'Approved' : 'Denied'}: ${printableLine(item.title)}`,
    ],
  }
}
