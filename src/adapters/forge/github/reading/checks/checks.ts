import type { PullRequestSnapshot } from '../../../forge.ts'
import type { Check, ChecksState } from '../../../check.ts'
import type { RawCheckRun, RawContext, RollupState } from '../answers.ts'

/** A status or check run, however it was read. */
export interface Context {
  readonly name: string
  /** Two with the same key are runs of the same; the later one counts. */
  readonly key: string
  /** Ascending with the runs; null where it isn’t known, and the later in the list counts. */
  readonly order: number | null
  readonly status: Check['status']
  readonly required: boolean
  readonly run: string | null
  readonly url: string | null
  /** What it says of itself in a line. */
  readonly words: string | null
  /** Distinguishes it from others of the same name. */
  readonly label: string
  /** Its workflow is not through: jobs that need this one only appear later. */
  readonly moreToCome: boolean
  /** The job of Actions that it is, which has a log. */
  readonly job: Job | null
}

export interface Job {
  readonly id: number
  /** Milliseconds since the epoch; null while it runs. */
  readonly endedAt: number | null
}

export interface ReadChecks extends Pick<PullRequestSnapshot, 'checksState' | 'checksRequired'> {
  readonly checks: readonly (Check & { readonly job: Job | null })[]
}

const ACTIONS = 'github-actions'

export function fromGraphql(raw: RawContext): Context {
  if (raw.__typename === 'StatusContext') {
    const status = ofStatus(raw.state)
    return {
      name: raw.context,
      key: `status ${raw.context}`,
      order: Date.parse(raw.createdAt),
      status,
      required: raw.isRequired === true,
      // Services say again and again that all is well; only a failure again is news.
      run: status === 'failed' ? raw.id : null,
      url: raw.targetUrl,
      words: raw.description,
      label: raw.context,
      moreToCome: false,
      job: null,
    }
  }
  const { app, workflowRun, status: suite } = raw.checkSuite
  const id = raw.databaseId ?? idIn(raw.permalink)
  const slug = app?.slug ?? ''
  const workflow = workflowRun?.workflow
  return {
    name: raw.name,
    // Two workflows may have the same name: one for each part of a repository.
    key: `run ${slug} ${workflow?.databaseId ?? workflow?.name ?? ''} ${workflowRun?.event ?? ''} ${raw.name}`,
    order: id,
    status: ofRun(raw.status, raw.conclusion),
    required: raw.isRequired === true,
    run: id === null ? raw.startedAt : String(id),
    url: raw.detailsUrl ?? raw.permalink,
    words: raw.title,
    label:
      workflowRun == null
        ? `${raw.name} (${slug})`
        : `${workflowRun.workflow.name} / ${raw.name} (${workflowRun.event})`,
    moreToCome: slug === ACTIONS && suite !== 'COMPLETED',
    job:
      slug === ACTIONS && id !== null
        ? { id, endedAt: raw.completedAt === null ? null : Date.parse(raw.completedAt) }
        : null,
  }
}

/** Ids of check runs are larger than GraphQL’s integers. */
const idIn = (url: string): number | null => {
  const digits = /\/(?:job|runs)\/(\d+)(?:[?#].*)?$/.exec(url)?.[1]
  return digits === undefined ? null : Number(digits)
}

/** `conclusion` in capitals, as GraphQL has it. */
export function ofRun(status: RawCheckRun['status'], conclusion: string | null): Check['status'] {
  if (status !== 'COMPLETED') return status === 'IN_PROGRESS' ? 'running' : 'queued'
  switch (conclusion) {
    case 'SUCCESS':
    case 'NEUTRAL':
    case 'SKIPPED':
      return 'passed'
    case 'TIMED_OUT':
      return 'timed_out'
    case 'CANCELLED':
    case 'STALE':
      return 'cancelled'
    case null:
      // Ended a moment ago, and what came of it is not written down yet.
      return 'running'
    default:
      // FAILURE, STARTUP_FAILURE, ACTION_REQUIRED, and whatever GitHub may invent.
      return 'failed'
  }
}

export function ofStatus(state: RollupState): Check['status'] {
  if (state === 'SUCCESS') return 'passed'
  return state === 'PENDING' || state === 'EXPECTED' ? 'queued' : 'failed'
}

/**
 * What the contexts of a head come to. Only required ones count, where GitHub requires any; else
 * all do. One that failed is reported at once, while others still run. A check that was cancelled
 * says nothing: it has to run again. `expected`: what GitHub requires, whether it has run or not.
 */
export function toChecks(contexts: readonly Context[], expected: readonly string[]): ReadChecks {
  const latest = new Map<string, Context>()
  for (const context of contexts) {
    const known = latest.get(context.key)
    if (
      known === undefined ||
      known.order === null ||
      context.order === null ||
      context.order >= known.order
    )
      latest.set(context.key, context)
  }
  const present = [...latest.values()]
  const absent = expected.filter((name) => !present.some((context) => context.name === name))
  const times = new Map<string, number>()
  for (const { name } of present) times.set(name, (times.get(name) ?? 0) + 1)
  const isRequired = (context: Context): boolean =>
    context.required || expected.includes(context.name)
  const checks = [
    ...present.map((context) => ({
      name: (times.get(context.name) ?? 0) > 1 ? context.label : context.name,
      status: context.status,
      required: isRequired(context),
      run: context.run,
      url: context.url,
      logTail: context.status === 'failed' || context.status === 'timed_out' ? context.words : null,
      job: context.job,
    })),
    ...absent.map((name) => ({
      name,
      status: 'queued' as const,
      required: true,
      run: null,
      url: null,
      logTail: 'not reported to GitHub yet',
      job: null,
    })),
  ]
  const required = checks.some((check) => check.required)
  const counted = required ? present.filter(isRequired) : present
  const state =
    present.length === 0
      ? 'none'
      : stateOf(
          counted,
          required ? absent.length > 0 : counted.some(({ moreToCome }) => moreToCome),
        )
  return {
    checks,
    checksState: state,
    checksRequired: required || (state === 'none' && present.length > 0),
  }
}

function stateOf(counted: readonly Context[], moreToCome: boolean): ChecksState {
  const has = (...statuses: readonly Check['status'][]): boolean =>
    counted.some(({ status }) => statuses.includes(status))
  if (has('failed', 'timed_out')) return 'failed'
  if (moreToCome || has('queued', 'running')) return 'pending'
  return has('cancelled') ? 'none' : 'passed'
}
