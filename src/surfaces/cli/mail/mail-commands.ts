import { completionWords } from '../../../domain/formats/completion-message.ts'
import { indented } from '../../text/indented.ts'
import { printable, printableLine } from '../../text/printable.ts'
import { relativeTime } from '../../text/relative-time.ts'
import { pad } from '../../text/width.ts'
import { commandGroup, toolCommand, type ToolTerminal } from '../tool-command.ts'

export const ack = toolCommand('ack', {
  failed: ({ unknown }) => unknown.length > 0,
  show: ({ acked, unknown }, { palette }) => [
    ...(acked.length > 0 ? [`${palette.good('✓')} ${acked.join(' ')}`] : []),
    ...unknown.map(
      (id) => `${palette.bad('✗')} ${printableLine(id)} is no message of yours that is on its way`,
    ),
  ],
})

export const answer = toolCommand('answer_question', {
  show: ({ status, question_id: id }, { palette, input }) => [
    `${palette.good('✓')} ${status === 'delivered' ? 'Delivered to' : 'On its way to'} ${printableLine(input.agent)} ${palette.dim(`(${id})`)}`,
  ],
})

const decision: ToolTerminal<'approve' | 'deny'> = {
  show: ({ approval_id: id, decision: what }, { palette }) => [
    `${palette.good('✓')} ${id}: ${what}`,
  ],
}
export const approve = toolCommand('approve', decision)
export const deny = toolCommand('deny', decision)

const inboxes = () => import('./inbox.ts')
const views = () => import('../../text/inbox/inbox-view.ts')

export const inbox = toolCommand('inbox', {
  command: 'inbox',
  flags: {
    all: '-a, --all  Every message of the news, whole',
    approve: '--approve  Approve what the item asks for',
    merge: '--merge  Merge the pull request that the item is',
  },
  values: {
    answer: '--answer <text>  Answer the question that the item is; - reads it from standard input',
    deny: '--deny [reason]  Deny what the item asks for; the agent gets the reason',
  },
  prepare: async (given, start) => {
    ;(await inboxes()).actionOf(given.item, start)
    return given
  },
  call: async (run) => (await inboxes()).readOrSettle(run),
  show: async (inbox, { context, palette, width, flags, input }) => {
    const options = { palette, width, now: context.now() }
    const { inboxLines, itemLines } = await views()
    const [one] = inbox.items
    return input.item !== undefined && one !== undefined
      ? itemLines(one, options)
      : inboxLines(inbox, { ...options, ...input, all: flags.all })
  },
})

export const next = toolCommand('inbox', {
  command: 'next',
  call: async (run) => (await inboxes()).readShowing(run),
  show: async ({ items: [first] }, { context, palette, width, input }) => {
    const { itemLines, nothingNeeds } = await views()
    return first === undefined
      ? [nothingNeeds(input)]
      : itemLines(first, { palette, width, now: context.now() })
  },
})

export const mail = toolCommand('check_mail', {
  show: ({ messages }, { context, palette, input: { peek } }) => {
    const blocks = messages.map(({ from, name, message, sent_at: at }) => [
      `${palette.active('●')} from ${palette.bold(printableLine(name))} ${palette.dim(`${printableLine(from)}, ${relativeTime(at, context.now())}`)}`,
      ...indented(completionWords(message)),
    ])
    return listed(blocks, 'No mail', peek ? ['', palette.dim('exomonad mail takes it')] : [])
  },
})

/** Each apart from the one before. */
const listed = (
  blocks: readonly (readonly string[])[],
  none: string,
  hint: readonly string[],
): string[] =>
  blocks.length === 0
    ? [none]
    : [...blocks.flatMap((block, index) => (index === 0 ? block : ['', ...block])), ...hint]

export const note = toolCommand('note', {
  show: (_sent, { palette }) => [`${palette.good('✓')} Noted`],
})

export const notify = commandGroup({
  test: toolCommand('notify_test', {
    progress: 'Sending',
    failed: ({ answers }) => answers.some(({ ok }) => !ok),
    show: ({ answers }, { palette }) => {
      const width = Math.max(...answers.map(({ target }) => target.length))
      return answers.map(
        ({ target, ok, answer: said }) =>
          `${ok ? palette.good('✓') : palette.bad('✗')} ${palette.bold(pad(target, width))}  ${printableLine(said)}`,
      )
    },
  }),
})

export const question = toolCommand('question', {
  progress: 'Waiting for the answer',
  show: (asked) =>
    asked.status === 'answered'
      ? [printable(asked.answer)]
      : [`No answer yet. ${asked.question_id} stays open, and the answer will come as a message.`],
})

export const send = toolCommand('send', {
  flags: {
    raw: '--raw  What its program gives a meaning to keeps it: @file is read by it, unasked',
  },
  instead: (_given, { flags }) => (flags.raw ? 'send_raw' : undefined),
  show: (_sent, { palette, input }) => [`${palette.good('✓')} Sent to ${printableLine(input.to)}`],
})
