import { ExomonadError } from '../../../../../domain/errors.ts'
import type { GithubClient } from '../../client/client.ts'
import type { RawCheckRun, RollupState } from '../answers.ts'
import { ofRun, ofStatus, type Context } from './checks.ts'

/** As REST has them, in small letters. */
interface Run {
  readonly id: number
  readonly name: string | null
  readonly event: string
  readonly status: string | null
  readonly conclusion: string | null
  readonly html_url: string
  readonly workflow_id: number
}
interface RunJob {
  readonly id: number
  readonly name: string
  readonly status: string
  readonly conclusion: string | null
  readonly completed_at: string | null
  readonly html_url: string | null
}
interface Status {
  readonly id: number
  readonly context: string
  readonly state: string
  readonly description: string | null
  readonly target_url: string | null
}

/**
 * What Actions ran for a commit, for tokens that may not read checks. Null where they may not read
 * Actions either. Unchanged answers cost nothing.
 */
export async function readActions(
  client: Pick<GithubClient, 'pages'>,
  sha: string,
): Promise<readonly Context[] | null> {
  const runs = await permitted(() =>
    client.pages<Run>('GET /repos/{owner}/{repo}/actions/runs', { head_sha: sha }),
  )
  if (runs === null) return null
  const latest = new Map<string, Run>()
  for (const run of runs) {
    const key = `${run.workflow_id} ${run.name} ${run.event}`
    if (run.id >= (latest.get(key)?.id ?? 0)) latest.set(key, run)
  }
  const contexts: Context[] = []
  for (const run of latest.values()) {
    const jobs = await client.pages<RunJob>(
      'GET /repos/{owner}/{repo}/actions/runs/{run_id}/jobs',
      { run_id: run.id },
    )
    // Before its first job and where its file is faulty, a run stands for itself.
    if (jobs.length === 0)
      contexts.push(
        toContext(run, { ...run, name: run.name ?? 'workflow', completed_at: null }, null),
      )
    for (const job of jobs)
      contexts.push(
        toContext(run, job, {
          id: job.id,
          endedAt: job.completed_at === null ? null : Date.parse(job.completed_at),
        }),
      )
  }
  return contexts
}

function toContext(
  run: Run,
  one: Omit<RunJob, 'status'> & { readonly status: string | null },
  job: Context['job'],
): Context {
  const workflow = run.name ?? ''
  return {
    name: one.name,
    key: `run ${run.workflow_id} ${run.event} ${one.name}`,
    order: one.id,
    status: ofRun(
      (one.status ?? 'queued').toUpperCase() as RawCheckRun['status'],
      one.conclusion?.toUpperCase() ?? null,
    ),
    required: false,
    run: String(one.id),
    url: one.html_url,
    words: null,
    label: `${workflow} / ${one.name} (${run.event})`,
    moreToCome: run.status !== 'completed',
    job,
  }
}

/** The statuses of a commit; none where the token may not read them. */
export async function readStatuses(
  client: Pick<GithubClient, 'pages'>,
  sha: string,
): Promise<readonly Context[]> {
  const statuses = await permitted(() =>
    client.pages<Status>('GET /repos/{owner}/{repo}/commits/{ref}/statuses', { ref: sha }),
  )
  return (statuses ?? []).map((one) => {
    const status = ofStatus(one.state.toUpperCase() as RollupState)
    return {
      name: one.context,
      key: `status ${one.context}`,
      order: one.id,
      status,
      required: false,
      run: status === 'failed' ? String(one.id) : null,
      url: one.target_url,
      words: one.description,
      label: one.context,
      moreToCome: false,
      job: null,
    }
  })
}

async function permitted<Value>(read: () => Promise<Value>): Promise<Value | null> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof ExomonadError && error.code === 'FORGE_DENIED') return null
    throw error
  }
}
