import { z } from 'zod'
import { defineEvent } from '../define.ts'
import { other, pull } from '../shapes.ts'
import { words } from '../words.ts'

export const landingRed = defineEvent({
  type: 'landing.red',
  summary: 'The result of a merge was checked and is red: the pull request stays open.',
  payload: {
    ...pull,
    sha: z.string(),
    /** Tip of the base that it was merged with. */
    onto: z.string(),
    /** Landed since its own checks passed. */
    between: z.array(other),
    /**
     * The one of them that it is red together with, each green without the other; null where that
     * is not known yet.
     */
    partner: other.nullable(),
    /** Where it takes more than two, the others: it is green without any one of them. */
    others: z.array(other),
    /** Commits of the base since then that came with no pull request. */
    commits: z.number().int(),
    /** The base is red without it. */
    base_red: z.boolean(),
    log: z.string(),
    log_url: z.string().nullable(),
  },
  tells: { owner: 'wake', parent: 'wake' },
  line: [
    '✗',
    'bad',
    (p) =>
      words`#${p.number} did not land on ${p.base}: the result is red${p.base_red === true ? ', and so is the base' : ''}`,
  ],
})
