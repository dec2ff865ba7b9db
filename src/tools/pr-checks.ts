import { z } from 'zod'
import { defineTool } from './define.ts'
import { checkRun } from './shapes.ts'

export const prChecks = defineTool({
  name: 'pr_checks',
  description: 'The checks of a pull request’s head, with the whole log of one where asked for.',
  audience: ['tl', 'dev', 'human'],
  listed: false,
  input: z.object({ pr_number: z.number().int().positive(), log: z.string().optional().describe('Name of the check whose log to add') }),
  output: z.object({ number: z.number().int(), head_sha: z.string(), state: z.string(), checks: z.array(checkRun), log: z.string().nullable() }),
  handler: ({ core }, input) => core.pulls.checks(input.pr_number, { log: input.log }),
})
