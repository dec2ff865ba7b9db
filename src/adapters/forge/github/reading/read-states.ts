import type { GithubClient, GraphqlError } from '../client/client.ts'
import type { RawState, Read } from './answers.ts'
import { ask, errorsAt, inPages, isDenied, leftOut } from './pages.ts'
import { STATES } from './queries.ts'

/** As many as `nodes` takes. */
export const MOST_STATES = 100

/** The states of these, by node id: no more than a point for a hundred. */
export async function readStates(
  client: Pick<GithubClient, 'graphql'>,
  ids: readonly string[],
): Promise<Map<string, Read<RawState>>> {
  return inPages(ids, MOST_STATES, async (page) => {
    const { data, errors } = await ask<StatesAnswer>(client, STATES, { ids: page })
    return takeStates(page, data, errors)
  })
}

export interface StatesAnswer {
  readonly nodes: readonly (RawState | null)[]
}

export function takeStates(
  ids: readonly string[],
  { nodes }: StatesAnswer,
  errors: readonly GraphqlError[],
): Map<string, Read<RawState>> {
  const results = new Map<string, Read<RawState>>()
  for (const [index, id] of ids.entries()) {
    const state = nodes[index]
    const failed = errorsAt(errors, 'nodes', index).filter(
      (error) => !(error.path.includes('statusCheckRollup') && isDenied(error)),
    )
    if (failed.length > 0)
      results.set(
        id,
        failed.every(({ type }) => type === 'NOT_FOUND') && state == null
          ? { missing: true }
          : { unknown: leftOut(failed) },
      )
    else
      results.set(
        id,
        state == null ? { unknown: 'GitHub left it out of its answer' } : { value: state },
      )
  }
  return results
}
