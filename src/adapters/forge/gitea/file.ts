import { ExomonadError } from '../../../domain/errors.ts'
import type { Git } from '../../git/git.ts'
import type { Branches } from '../branches.ts'
import type { FileResult, Forge } from '../forge.ts'
import type { Pause } from '../network/pause.ts'
import { wordsOf, type GiteaClient } from './client.ts'
import { findPulls } from './find.ts'
import type { GiteaRepository } from './options.ts'
import { baseOf, PULL, titleOf, type RawPull } from './pull.ts'
import type { SeenHeads } from './seen-heads.ts'

/**
 * How often a branch that was just pushed is tried: Gitea takes a push in after git has its answer.
 * With the first pause of a second: half a minute.
 */
const TRIES = 6

/**
 * Files a pull request, or brings the open one of that head up to date. What may have been created
 * is looked for before anything is created again.
 */
export function createFile({
  repository: { host, owner, name },
  client,
  git,
  branches,
  seenHeads,
  pause,
}: {
  repository: GiteaRepository
  client: GiteaClient
  git: Pick<Git, 'isAncestor'>
  branches: Branches
  seenHeads: Pick<SeenHeads, 'note'>
  pause: Pause
}): Forge['file'] {
  type Wanted = Parameters<Forge['file']>[0]

  const openFor = async ({ head, base }: Wanted): Promise<RawPull | undefined> => {
    const open = await findPulls(client, { state: 'open', heads: [head] })
    return open.findLast((pull) => baseOf(pull) === base) ?? open.at(-1)
  }
  const filed = ({ number, html_url: url }: RawPull, created: boolean): FileResult => ({
    kind: 'filed',
    number,
    url,
    created,
  })

  /** Gitea would take a pull request without commits. */
  const isEmpty = async ({ head, headSha, base }: Wanted): Promise<boolean> => {
    const tip = (await branches.tips([base])).get(base)
    if (tip === undefined) throw noBranch(base)
    await branches.bringIn([
      { branch: base, sha: tip },
      { branch: head, sha: headSha },
    ])
    return git.isAncestor(headSha, tip)
  }
  const noBranch = (branch: string): ExomonadError =>
    new ExomonadError(
      'GIT_FAILED',
      `${owner}/${name} on ${host} has no branch ${branch}. Push it first.`,
      { branch },
    )

  const update = async (
    pull: RawPull,
    { title, body, base, draft }: Wanted,
  ): Promise<FileResult> => {
    const wanted = titleOf(title, draft)
    const change = {
      ...(pull.title === wanted ? {} : { title: wanted }),
      ...((pull.body ?? '') === body ? {} : { body }),
      ...(baseOf(pull) === base ? {} : { base }),
    }
    if (Object.keys(change).length > 0)
      await client.rest(`PATCH ${PULL}/${pull.number}`, { body: change, retry: true })
    return filed(pull, false)
  }

  const create = async (wanted: Wanted): Promise<RawPull | 'exists'> => {
    const { head, base, title, body, draft } = wanted
    for (let tries = 1; ; tries++) {
      const { status, data } = await client.rest<RawPull>(`POST ${PULL}`, {
        body: { head, base, title: titleOf(title, draft), body },
        accept: [404, 409, 422],
      })
      if (status < 400) return data
      if (status === 409) return 'exists'
      if (status === 422)
        throw new ExomonadError(
          'INVALID_ARG',
          `Gitea (${host}) refuses the pull request from ${head} into ${base}: ${wordsOf(data)}`,
        )
      // git has both branches; Gitea has yet to take the last push in.
      if (tries >= TRIES) {
        throw await client.missing(
          new ExomonadError(
            'FORGE_UNAVAILABLE',
            `Gitea (${host}) has not taken in the push of ${head} yet, or of ${base}. Try again.`,
            { head, base },
          ),
        )
      }
      await pause(tries - 1)
    }
  }

  return async (wanted) => {
    const open = await openFor(wanted)
    if (await isEmpty(wanted)) return { kind: 'nothing_to_merge' }
    if (open !== undefined) return update(open, wanted)
    let made: RawPull | 'exists'
    try {
      made = await create(wanted)
    } catch (error) {
      if (!(error instanceof ExomonadError) || error.code !== 'FORGE_UNAVAILABLE') throw error
      const found = await openFor(wanted).catch(() => undefined)
      if (found === undefined) throw error
      made = found
    }
    if (made !== 'exists') {
      await seenHeads.note(made.number, wanted.headSha)
      return filed(made, true)
    }
    const existing = await openFor(wanted)
    if (existing !== undefined) return update(existing, wanted)
    throw new ExomonadError(
      'FORGE_UNAVAILABLE',
      `Gitea (${host}) says that a pull request from ${wanted.head} exists, and does not show it. Try again.`,
      {
        head: wanted.head,
      },
    )
  }
}
