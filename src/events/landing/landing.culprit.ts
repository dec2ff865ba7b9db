import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const landingCulprit = defineEvent({
  type: 'landing.culprit',
  summary: 'Which merge a red pull request is red together with.',
  payload: {
    ...pull,
    /** Null where it was a commit without a pull request. */
    partner: other.nullable(),
    commit: z.string(),
    subject: z.string(),
    log: z.string(),
    log_url: z.string().nullable(),
  },
  tells: { owner: 'wake', parent: 'wake' },
  line: [
    '✗',
    'bad',
    (p) =>
      words`#${p.number} is red together with ${p.partner == null ? p.commit?.slice(0, 10) : `#${p.partner.number}`}`,
  ],
})
