import { z } from 'zod'
import { ERRORS, type ErrorCode } from '../domain/error-codes.ts'
import { isPlaceWithin } from '../domain/formats/place-within.ts'

/** Output shapes that several tools share. */

const errorCode = z.enum(Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]])

export const spawnedAgent = z.object({
  agent_id: z.string(),
  name: z.string(),
  branch: z.string(),
  worktree: z.string().describe('Absolute path'),
  pane: z.string(),
  session: z.enum(['forked', 'fresh']),
  warnings: z.array(z.string()),
})

export const forkedAgent = z.object({
  agent_id: z.string(),
  name: z.string(),
  context: z
    .enum(['forked', 'transcript', 'fresh'])
    .describe(
      'What it begins with: the conversation, a file of what the terminal showed, or the prompt alone',
    ),
  warnings: z.array(z.string()),
})

/**
 * A spec without a name or a task is refused by itself, in `errors`; the schema would refuse all of
 * them.
 */
export function eachSpecAlone(given: unknown): unknown {
  if (
    typeof given !== 'object' ||
    given === null ||
    !('specs' in given) ||
    !Array.isArray(given.specs)
  )
    return given
  const word = (value: unknown): unknown =>
    value === undefined || value === null || value === '' ? ' ' : value
  const specs = given.specs.map((spec: unknown) =>
    isObject(spec) ? { ...spec, name: word(spec['name']), prompt: word(spec['prompt']) } : spec,
  )
  return { ...given, specs }
}
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** When news of the children wakes the caller. */
export const wakeFor = z
  .enum(['each', 'all_settled'])
  .default('each')
  .describe(
    'When news of them wakes you: "each" at once, or "all_settled" once, when each of them is ready to merge, has ended or waits for you; what one asks or writes wakes at once anyway',
  )

export const issueNumber = z
  .number()
  .int()
  .positive()
  .describe(
    'Number of an issue on the forge: its title, body and comments are the task, in front of these words, and the pull request closes it',
  )

export const spawnError = z.object({ name: z.string(), error: z.string(), code: errorCode })

export const spawnResult = z.object({ spawned: z.array(spawnedAgent), errors: z.array(spawnError) })

/** How commands take a pull request: `exomonad pr show auth`. */
export const PULL = '<pr>  Its number, or the branch or name of its agent'

export const landing = z.object({
  step: z.enum(['queued', 'checking', 'landing']),
  since_seconds: z.number().int(),
  together: z
    .array(z.number().int())
    .describe('Pull requests whose result is checked together with its own'),
})

export const scheduledMerge = z.object({
  how: z
    .enum(['queue', 'auto'])
    .describe('queue: in a merge queue. auto: merged once nothing stands against it'),
  position: z.number().int().nullable().describe('In the queue, from 1'),
  checks: z
    .string()
    .nullable()
    .describe('Of what it comes to in the queue: none, pending, passed, failed or unknown'),
  by: z.string().describe('Who asked for it, as the forge knows them'),
})

export const pullSummary = z.object({
  number: z.number().int(),
  url: z.string(),
  title: z.string(),
  state: z.enum(['open', 'merged', 'closed']),
  draft: z.boolean(),
  head_branch: z.string(),
  base_branch: z.string(),
  agent: z.string().nullable(),
  checks: z.string().describe('none, pending, passed, failed or unknown'),
  review: z.string().describe('approved, changes_requested or none'),
  mergeable: z.string().describe('mergeable, conflicting or unknown'),
  head_sha: z.string(),
  landing: landing
    .nullable()
    .describe('It was asked to be merged, and its result is being checked; null where not'),
  scheduled: scheduledMerge.nullable().describe('GitHub merges it by itself; null where not'),
})

export const checkRun = z.object({
  name: z.string(),
  status: z.string(),
  required: z.boolean(),
  url: z.string().nullable(),
  log_tail: z.string().nullable(),
})

export const spawnedSession = z.object({ agent_id: z.string(), status: z.literal('spawned') })

export const subagentTask = {
  task: z.string().min(1).describe('What it is to do, with all that it needs to know'),
  description: z
    .string()
    .min(1)
    .max(200)
    .describe('What it does in a few words, for displays: “Reading the parser”'),
}

/** How commands take `description`. */
export const DESCRIPTION =
  '-d, --description <text>  What it does in a few words, for displays; default: the beginning of the task'

export const subagentAnswer = z.object({
  text: z.string().describe('Its last words'),
  turns: z.number().int(),
  durationMs: z.number().describe('Milliseconds'),
})

/** Of what is written to an agent. */
export const urgency = z
  .enum(['info'])
  .optional()
  .describe(
    'info: nothing has to be done about it. It goes along with the next thing that reaches its recipient, and begins no turn',
  )

/** Of a worktree that is to have some folders in place of all. */
export const sparseFolders = z
  .array(z.string().refine(isPlaceWithin, { error: 'must be a folder inside the worktree' }))
  .optional()
  .describe('Folders that its worktree has in place of all; default: as configured')

/** What the tools of the fold return. */
export const foldDocument = z.object({
  enabled: z.boolean(),
  reason: z.string().nullable().describe('Why nothing is folded; null where it is'),
  paused: z.object({ by: z.string(), since_seconds: z.number().int() }).nullable(),
  land: z.enum(['parent', 'auto', 'forge']),
  forge_lands: z
    .boolean()
    .describe(
      'The pull requests are on a forge that merges by its own rules: the fold says what the sum comes to, and lands it only where lands_here is true',
    ),
  bases: z.array(
    z.object({
      base: z.string(),
      state: z
        .enum(['idle', 'waiting', 'testing', 'searching', 'green', 'red'])
        .describe(
          'idle: less than two to fold. waiting: it is checked when there is a place. searching: it was red, and who makes it so is looked for',
        ),
      age_seconds: z.number().int(),
      lands_here: z
        .boolean()
        .describe('merge_pr lands the commit that was checked; else the forge merges'),
      onto: z.string().nullable().describe('Tip of the base that the chain stands on'),
      links: z.array(
        z.object({
          number: z.number().int(),
          title: z.string(),
          agent: z.string().nullable(),
          head_sha: z.string(),
          sha: z
            .string()
            .nullable()
            .describe('The commit that would land; null where it conflicts with one before it'),
          state: z.enum(['green', 'untested', 'testing', 'red', 'conflict']),
          landing: z
            .enum(['queued', 'checking', 'landing'])
            .nullable()
            .describe('It was asked to be merged; null where not'),
          age_seconds: z.number().int(),
        }),
      ),
      testing: z.array(
        z.object({
          numbers: z.array(z.number().int()),
          since_seconds: z.number().int(),
          typical_seconds: z.number().int().nullable(),
        }),
      ),
      ejected: z
        .array(
          z.object({
            number: z.number().int(),
            title: z.string(),
            partner: z.object({ number: z.number().int(), title: z.string() }).nullable(),
            others: z
              .array(z.object({ number: z.number().int(), title: z.string() }))
              .describe('Where it takes more than two, those beside partner'),
            age_seconds: z.number().int(),
          }),
        )
        .describe('Taken out until they have new commits; partner: what it is red together with'),
    }),
  ),
})
