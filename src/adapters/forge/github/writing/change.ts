import { ExomonadError } from '../../../../domain/errors.ts'
import type { Forge } from '../../forge.ts'
import type { GithubClient } from '../client/client.ts'
import type { GithubRepository } from '../repository.ts'
import { lookAt, PULL, type RawPull } from './pull.ts'
import { refusalIn } from './refusal.ts'

/** Changes that may be sent again: they say how it shall be, not what shall be done. */
export function createChange({
  repository,
  client,
  changed,
}: {
  repository: GithubRepository
  client: Pick<GithubClient, 'rest'>
  changed: (number: number) => void
}): Pick<Forge, 'retarget' | 'close'> {
  return {
    async retarget(number, base) {
      const pull = await lookAt(client, number)
      if (pull.state !== 'open' || pull.base.ref === base) return
      const answer = await client.rest<RawPull>(
        `PATCH ${PULL}`,
        { pull_number: number, base },
        { accept: [422], retry: true },
      )
      if (answer.status === 422) {
        const { words, isAbout } = refusalIn(answer)
        if (isAbout('base') && /invalid|not found/i.test(words)) {
          throw new ExomonadError(
            'GIT_FAILED',
            `#${number} can’t be moved to ${base}: ${repository.owner}/${repository.name} has no such branch. Push it first.`,
            {
              base,
            },
          )
        }
        throw new ExomonadError(
          'INVALID_ARG',
          `GitHub (${repository.host}) does not move #${number} from ${pull.base.ref} to ${base}: ${words}`,
          {
            number,
            base,
          },
        )
      }
      const now = answer.data.base.ref === base ? answer.data : await lookAt(client, number)
      if (now.base.ref !== base) {
        throw new ExomonadError(
          'FORGE_UNAVAILABLE',
          `GitHub (${repository.host}) took #${number} for ${base}, and still has it on ${now.base.ref}. Try again.`,
          {
            number,
          },
        )
      }
      changed(number)
    },

    async close(number) {
      const pull = await lookAt(client, number)
      if (pull.state !== 'open') return
      await client.rest(`PATCH ${PULL}`, { pull_number: number, state: 'closed' }, { retry: true })
      changed(number)
    },
  }
}
