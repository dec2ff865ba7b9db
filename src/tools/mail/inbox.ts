import { z } from 'zod'
import { ITEM_TYPES } from '../../domain/inbox-items.ts'
import { defineTool } from '../define.ts'

export const inbox = defineTool({
  name: 'inbox',
  description:
    'What needs the human, as items that close by themselves when what they ask for has happened, and what else is unread. Messages, questions and approvals are the same one by one, whatever items and news are narrowed to.',
  audience: ['human'],
  effect: ({ clear }) => (clear ? 'changes' : 'reads'),
  listed: false,
  input: z.object({
    item: z
      .string()
      .min(1)
      .optional()
      .describe('Only this one: its number, its id, the beginning of that, or next'),
    agent: z.string().min(1).optional().describe('Only what is about this one: id, branch or name'),
    type: z
      .enum([...ITEM_TYPES, 'news'])
      .optional()
      .describe('Only items of this type, or only the news'),
    limit: z
      .number()
      .int()
      .min(1)
      .max(1000)
      .optional()
      .describe('At most so many items, and news; messages, questions and approvals are left out'),
    after: z.string().optional().describe('With limit: what `next` of the page before was'),
    clear: z.boolean().default(false).describe('Mark the messages as read; items stay'),
    seen: z
      .array(z.string())
      .optional()
      .describe('With clear: only these messages, by their ids; what came since stays unread'),
  }),
  output: z.object({
    items: z
      .array(
        z.object({
          number: z
            .number()
            .int()
            .describe('From 1; another one when an item before it is settled'),
          id: z.string().describe('The same in every read'),
          type: z.enum(ITEM_TYPES),
          agent: z.string().nullable(),
          agent_id: z.string().nullable(),
          since: z.number(),
          title: z.string().describe('One line'),
          text: z.string(),
          settle: z.array(z.string()).describe('Commands that settle it, or show what it is about'),
        }),
      )
      .describe('Oldest first'),
    next: z.string().nullable().describe('For `after` of the next page; null: there is none'),
    total: z.number().int().describe('Items that fit, on all pages'),
    by_type: z
      .partialRecord(z.enum(ITEM_TYPES), z.number().int())
      .describe('Items of each type there is, whatever type was asked for'),
    news: z
      .array(
        z.object({
          agent: z.string().nullable(),
          agent_id: z.string().nullable(),
          count: z.number().int(),
          kinds: z.array(z.string()),
          newest: z.object({ kind: z.string(), text: z.string(), at: z.number() }),
          messages: z.array(z.string()).describe('Their ids, oldest first'),
        }),
      )
      .describe('What else is unread, a line for each agent, the newest first'),
    messages: z.array(
      z.object({
        id: z.string(),
        kind: z.string(),
        text: z.string(),
        at: z.number(),
        question_id: z.string().nullable(),
      }),
    ),
    questions: z.array(
      z.object({
        question_id: z.string(),
        agent: z.string(),
        message: z.string(),
        asked_at: z.number(),
      }),
    ),
    approvals: z.array(
      z.object({
        approval_id: z.string(),
        agent: z.string(),
        what: z.string(),
        requested_at: z.number(),
      }),
    ),
  }),
  command: [
    {
      name: 'inbox',
      summary: 'What needs you, and what else is new',
      fields: {
        item: '[item]  Show only this one, whole: its number or id',
        agent: '--agent <agent>',
        type: '--type <type>',
        clear: '--clear',
      },
      notes:
        'An item closes by itself when what it asks for has happened, wherever that was.\nA number means the item that was shown with it last.',
      examples: [
        'exomonad inbox',
        'exomonad inbox --type pull --agent auth',
        'exomonad inbox --clear',
      ],
    },
    {
      name: 'next',
      summary: 'The next that needs you, whole, with what settles it',
      given: { item: 'next' },
      fields: { agent: '--agent <agent>', type: '--type <type>' },
      examples: ['exomonad next'],
    },
  ],
  handler: ({ core, consumed }, input) => core.messages.inbox(input, consumed),
})
