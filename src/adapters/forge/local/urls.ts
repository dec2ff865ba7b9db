import { ExomonadError } from '../../../domain/errors.ts'
import type { StoreVerbs } from '../../store/store.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'

/** Pull requests of the local forge have no page: the URL names them for people and in events. */
export const pullUrl = (number: number): string => `exomonad://pull/${number}`

/** PR_NOT_FOUND for unknown numbers. */
export async function requirePull(
  store: Pick<StoreVerbs, 'pulls'>,
  number: number,
): Promise<PullRow> {
  const pull = await store.pulls.get(number)
  if (pull === undefined)
    throw new ExomonadError(
      'PR_NOT_FOUND',
      `There is no pull request #${number}. \`exomonad pr list\` shows them.`,
      { number },
    )
  return pull
}
