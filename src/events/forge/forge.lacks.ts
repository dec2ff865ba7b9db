import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { words } from '../words.ts'

export const forgeLacks = defineEvent({
  type: 'forge.lacks',
  summary: 'The forge does not give something in this repository; reported once, to the root.',
  payload: {
    forge: z.string(),
    /** What stays the same while the words change. */
    lack: z.string(),
    what: z.string(),
    why: z.string(),
    /** What to do about it. */
    fix: z.string(),
  },
  tells: { owner: 'carry' },
  line: ['!', 'attention', (p) => words`${p.what}`],
})
