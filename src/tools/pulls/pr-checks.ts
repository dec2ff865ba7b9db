import { z } from 'zod'
import { defineTool } from '../define.ts'
import { checkRun, PULL } from '../shapes.ts'

export const prChecks = defineTool({
  name: 'pr_checks',
  description:
    'The checks of a pull request’s head, with the whole log of one where asked for. With rerun they are run again on the same head: when you have reason to think that a failure is no fault of the change. The result comes as a message.',
  audience: ['tl', 'dev', 'human'],
  effect: ({ rerun }) => (rerun ? 'changes' : 'reads'),
  listed: false,
  input: z.object({
    pr_number: z.number().int().positive(),
    log: z.string().optional().describe('Name of the check whose log to add'),
    rerun: z.boolean().default(false).describe('Run them again first; not for the role dev'),
  }),
  output: z.object({
    number: z.number().int(),
    head_sha: z.string(),
    state: z.string(),
    checks: z.array(checkRun),
    log: z.string().nullable(),
    rerun: z
      .enum(['started', 'running'])
      .nullable()
      .describe('running: they run already and were left alone'),
  }),
  command: {
    name: 'pr checks',
    summary: 'Show the checks of a pull request’s head; exits with 1 where they failed',
    fields: {
      pr_number: PULL,
      log: '-l, --log <check>  Print the whole log of this check',
      rerun: '--rerun  Run them again on the same head; those that run are left alone',
    },
    examples: ['exomonad pr checks auth', 'exomonad pr checks auth --log test'],
  },
  handler: ({ core, caller }, input) =>
    core.pulls.checks(caller, input.pr_number, { log: input.log, rerun: input.rerun }),
})
