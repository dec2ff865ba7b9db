import { ExomonadError } from '../../../../domain/errors.ts'
import type { Forge } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import { lookAt } from './pull.ts'
import { refusalIn } from './refusal.ts'

interface RawRun {
  readonly id: number
  readonly workflow_id: number
  readonly event: string
  readonly run_number: number
  readonly status: string | null
  readonly conclusion: string | null
}

const RUN = '/repos/{owner}/{repo}/actions/runs/{run_id}'
const PASSED = ['success', 'neutral', 'skipped']

/** Checks run where GitHub runs them: only those of Actions can be started again from here. */
export function createRerun({
  repository,
  client,
  changed,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'rest' | 'pages'>
  changed: (number: number) => void
}): Pick<Forge, 'ensureChecks' | 'rerunChecks'> {
  /** Of each workflow and what started it, the last run counts. */
  const runsOf = async (sha: string): Promise<RawRun[]> => {
    const runs = await client.pages<RawRun>('GET /repos/{owner}/{repo}/actions/runs', {
      head_sha: sha,
    })
    const latest = new Map<string, RawRun>()
    for (const run of runs.toSorted((a, b) => a.run_number - b.run_number || a.id - b.id))
      latest.set(`${run.workflow_id} ${run.event}`, run)
    return [...latest.values()]
  }

  return {
    /** Pushes and pull requests start them by themselves. */
    async ensureChecks(number) {
      await lookAt(client, number)
    },

    async rerunChecks(number) {
      const pull = await lookAt(client, number)
      if (pull.state !== 'open') {
        throw new ExomonadError(
          'PR_NOT_MERGEABLE',
          `#${number} is ${pull.merged ? 'merged' : 'closed'}: its checks are not run any more.`,
          { number },
        )
      }
      const runs = await runsOf(pull.head.sha)
      if (runs.length === 0) {
        throw new ExomonadError(
          'INVALID_ARG',
          `Nothing of GitHub Actions has run for the head of #${number} (${pull.head.sha.slice(0, 8)}): there is nothing to run again. Checks of other services are run again there.`,
          { number },
        )
      }
      if (runs.some(({ status }) => status !== 'completed')) return 'running'
      const failed = runs.filter(({ conclusion }) => !PASSED.includes(conclusion ?? ''))
      const again = failed.length > 0 ? failed : runs
      const refusals: string[] = []
      for (const { id } of again) {
        const route = `POST ${RUN}/${failed.length > 0 ? 'rerun-failed-jobs' : 'rerun'}`
        const answer = await client.rest(
          route,
          { run_id: id },
          { accept: [403, 409, 422], retry: false },
        )
        if (answer.status < 400) continue
        const { words } = refusalIn(answer)
        // The same status stands for a missing permission and for a run that is too old, or that
        // somebody started meanwhile.
        if (/already running|in progress/i.test(words)) return 'running'
        if (answer.status === 403 && /not accessible|must have|scope/i.test(words)) {
          throw new ExomonadError(
            'FORGE_DENIED',
            `${repository.host} doesn’t let this token run checks again: ${words}. It needs the permission “Actions: write” for ${repository.owner}/${repository.name}.`,
            { status: 403 },
          )
        }
        refusals.push(words)
      }
      if (refusals.length === again.length) {
        throw new ExomonadError(
          'INVALID_ARG',
          `GitHub (${repository.host}) does not run the checks of #${number} again: ${refusals.join('; ')}. A new push starts them.`,
          {
            number,
          },
        )
      }
      changed(number)
      return 'started'
    },
  }
}
