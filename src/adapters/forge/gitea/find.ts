import { ExomonadError } from '../../../domain/errors.ts'
import type { Forge } from '../forge.ts'
import type { GiteaClient } from './client.ts'
import { baseOf, headOf, isFork, PULL, stateOf, type RawPull } from './pull.ts'

const NO_PULLS =
  'Gitea shows no pull requests of this repository: it has not taken in its first push yet (try again), or they are switched off in the repository’s settings.'

/** Pull requests that a filter names, ascending by number. */
export async function findPulls(
  client: Pick<GiteaClient, 'pages' | 'missing'>,
  { state, heads, base, forks = false }: Parameters<Forge['find']>[0],
): Promise<RawPull[]> {
  const wanted = state === undefined ? 'all' : state === 'open' ? 'open' : 'closed'
  const pulls = await client
    .pages<RawPull>(`GET ${PULL}`, { state: wanted, sort: 'oldest' })
    .catch(async (error: unknown) => {
      if (!(error instanceof ExomonadError) || error.code !== 'PR_NOT_FOUND') throw error
      throw await client.missing(new ExomonadError('FORGE_UNAVAILABLE', NO_PULLS))
    })
  const found = new Map<number, RawPull>()
  for (const pull of pulls) {
    if (state !== undefined && stateOf(pull) !== state) continue
    if (heads !== undefined && !heads.includes(headOf(pull))) continue
    if (base !== undefined && baseOf(pull) !== base) continue
    if (forks || !isFork(pull)) found.set(pull.number, pull)
  }
  return [...found.values()].toSorted((a, b) => a.number - b.number)
}
