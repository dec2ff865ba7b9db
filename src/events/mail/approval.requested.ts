import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const approvalRequested = defineEvent({
  type: 'approval.requested',
  summary: 'Something waits for the human’s approval.',
  payload: {
    approval_id: z.string(),
    name: z.string(),
    what: z.string(),
  },
  tells: { human: 'wake' },
  urgent: true,
  line: ['!', 'attention', (p) => words`waits for your approval (${p.approval_id}): ${p.what}`],
})
