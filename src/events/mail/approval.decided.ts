import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const approvalDecided = defineEvent({
  type: 'approval.decided',
  summary: 'The human approved or refused.',
  payload: {
    approval_id: z.string(),
    decision: z.string(),
    what: z.string(),
    reason: z.string().nullable(),
    /** Its program asked, and is answered itself. */
    permission: z.boolean().optional(),
    /** Its agent is over: nobody waits for it. */
    ended: z.boolean().optional(),
  },
  tells: ({ permission, ended }) =>
    permission === true || ended === true ? {} : { owner: 'wake' },
  personal: true,
  line: ['!', 'good', (p) => words`${p.decision}: ${p.what}`],
})
