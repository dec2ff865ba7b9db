import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other } from '../shapes.ts'
import { numbers, words } from '../words.ts'

export const baseRed = defineEvent({
  type: 'base.red',
  summary: 'A branch is red as it is, after a landing whose result had not been checked.',
  payload: {
    branch: z.string(),
    sha: z.string(),
    /** Landed since it was last green. */
    since: z.array(other),
    log: z.string(),
    log_url: z.string().nullable(),
  },
  tells: { owner: 'wake' },
  dedupe: ({ branch, sha }) => `base-red:${branch}:${sha}`,
  line: [
    '✗',
    'bad',
    (p) =>
      words`${p.branch} is red at ${p.sha?.slice(0, 10)}${p.since?.length ? `, since ${numbers(p.since)}` : ''}`,
  ],
})
