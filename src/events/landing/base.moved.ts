import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const baseMoved = defineEvent({
  type: 'base.moved',
  summary: 'A base branch’s tip moved.',
  payload: {
    branch: z.string(),
    old: z.string().nullable(),
    new: z.string(),
  },
  line: ['↑', 'dim', (p) => words`${p.branch} moved to ${p.new?.slice(0, 8)}`],
})
