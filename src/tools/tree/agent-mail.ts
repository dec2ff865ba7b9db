import { z } from 'zod'
import { defineTool } from '../define.ts'

export const agentMail = defineTool({
  name: 'agent_mail',
  description:
    'What was sent to one agent, with what became of each message, and mail that it has not taken yet. Nothing is taken or marked by reading it.',
  audience: ['human'],
  effect: 'reads',
  listed: false,
  input: z.object({
    agent: z.string().min(1).describe('Id, branch or name'),
    limit: z.number().int().min(1).max(1000).default(100),
    before: z.string().optional().describe('`older` of the page after: for older ones'),
  }),
  output: z.object({
    agent_id: z.string(),
    messages: z
      .array(
        z.object({
          id: z.string(),
          kind: z.string().describe('Type of the event, or message, mail'),
          subject: z.string().nullable(),
          text: z.string(),
          at: z.number().describe('Milliseconds since the epoch'),
          state: z.enum(['queued', 'sent', 'acked', 'failed', 'undecided', 'withdrawn']),
          reach: z.enum(['wake', 'carry', 'log']),
          lane: z.string().nullable().describe('How it was handed over'),
          why: z.string().nullable(),
          handed_at: z.number().nullable(),
          settled_at: z.number().nullable(),
        }),
      )
      .describe('Newest last'),
    older: z.string().nullable().describe('For `before`; null: there are no older ones'),
    waiting: z
      .array(
        z.object({
          id: z.string(),
          from: z.string(),
          name: z.string(),
          message: z.string(),
          sent_at: z.number(),
        }),
      )
      .describe('Mail of other agents that it has not taken'),
  }),
  handler: ({ core }, { agent, ...page }) => core.view.mail(agent, page),
})
