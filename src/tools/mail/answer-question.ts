import { z } from 'zod'
import { defineTool } from '../define.ts'

export const answerQuestion = defineTool({
  name: 'answer_question',
  description:
    'Answer a question that a child asked you; it waits for this. Without a question id the oldest open question of that agent is answered. Answer soon, even with “decide yourself”: the child is dormant until then.',
  audience: ['tl', 'human'],
  listed: true,
  input: z.object({
    agent: z.string().min(1).describe('Id, branch or name of the agent that asked'),
    message: z.string().min(1),
    question_id: z.string().optional(),
  }),
  output: z.object({ status: z.enum(['delivered', 'queued']), question_id: z.string() }),
  command: {
    name: 'answer',
    summary: 'Answer an agent’s question',
    fields: {
      agent: '<agent>',
      message: '<message...>  The answer',
      question_id:
        '-q, --question <id>  A certain question; default: the oldest open one of that agent',
    },
    examples: [
      'exomonad answer auth "Keep the sessions in a table."',
      'exomonad answer auth --question q-01234567 "Cookies."',
    ],
  },
  handler: ({ core, caller }, input) =>
    core.messages.answer(caller, input.agent, input.message, input.question_id),
})
