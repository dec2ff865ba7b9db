import { ExomonadError } from '../../../domain/errors.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { Sha } from '../../../domain/ids.ts'
import type { Forge } from '../forge.ts'
import type { Branches } from '../branches.ts'
import type { Hints } from '../hints.ts'
import type { LocalForgeOptions } from './options.ts'
import { pullUrl, requirePull } from './urls.ts'

type Pulls = Pick<
  Forge,
  'file' | 'find' | 'retarget' | 'close' | 'diff' | 'commits' | 'requestReview'
>

/** Of a pull request at most so many are listed, as on GitHub. */
const MOST_COMMITS = 250

/** Filing, finding and changing pull requests: rows, with the code on the remote. */
export function createPulls({
  git,
  store,
  remote,
  clock,
  branches,
  hints,
  ended,
}: Pick<LocalForgeOptions, 'git' | 'store' | 'remote' | 'clock'> & {
  branches: Branches
  hints: Hints
  ended: (pull: PullRow) => Promise<void>
}): Pulls {
  /** What is compared, both at hand. */
  const endsOf = async (number: number): Promise<{ base: Sha; head: Sha }> => {
    const pull = await requirePull(store, number)
    if (pull.mergeSha !== null) {
      // Once merged, the base contains the head: what it brought is seen from the base as it was
      // before.
      const before = await git.resolve(`${pull.mergeSha}^1`)
      if (before !== null) return { base: before, head: pull.mergedHead ?? pull.headSha }
    }
    const tips = await branches.tips([pull.headBranch, pull.baseBranch])
    const head = tips.get(pull.headBranch) ?? pull.headSha
    const base = tips.get(pull.baseBranch)
    if (base === undefined) {
      throw new ExomonadError(
        'GIT_FAILED',
        `${remote} has no branch ${pull.baseBranch}: there is nothing to compare #${number} with.`,
        {
          base: pull.baseBranch,
        },
      )
    }
    await branches.bringIn([
      { branch: pull.headBranch, sha: head },
      { branch: pull.baseBranch, sha: base },
    ])
    return { base, head }
  }

  return {
    async file({ head, headSha, base, title, body, draft, agentId }) {
      const tips = await branches.tips([head, base])
      const [headTip, baseTip] = [tips.get(head), tips.get(base)]
      const missing = headTip === undefined ? head : baseTip === undefined ? base : undefined
      if (headTip === undefined || baseTip === undefined) {
        throw new ExomonadError(
          'GIT_FAILED',
          `${remote} has no branch ${missing}. Push it first.`,
          { branch: missing },
        )
      }
      await branches.bringIn([
        { branch: head, sha: headTip },
        { branch: base, sha: baseTip },
      ])
      if ((await git.countCommits(baseTip, headSha)) === 0) return { kind: 'nothing_to_merge' }

      const at = clock()
      const { number, created } = await store.transaction(async (tx) => {
        const [open] = await tx.pulls.list({ state: 'open', headBranch: head })
        if (open !== undefined) {
          await tx.pulls.update(open.number, {
            title,
            body,
            draft,
            baseBranch: base,
            headSha,
            agentId: agentId ?? open.agentId,
            updatedAt: at,
          })
          return { number: open.number, created: false }
        }
        const row = {
          title,
          body,
          draft,
          headBranch: head,
          baseBranch: base,
          headSha,
          agentId,
          state: 'open' as const,
        }
        const added = await tx.pulls.insert({
          ...row,
          mergeSha: null,
          mergedBy: null,
          mergedHead: null,
          createdAt: at,
          updatedAt: at,
        })
        return { number: added.number, created: true }
      })
      hints.emit(number)
      return { kind: 'filed', number, url: pullUrl(number), created }
    },

    async find({ state, heads, base }) {
      const rows = await store.pulls.list({
        ...(state === undefined ? {} : { state }),
        ...(base === undefined ? {} : { baseBranch: base }),
      })
      const wanted =
        heads === undefined ? rows : rows.filter(({ headBranch }) => heads.includes(headBranch))
      return wanted.map(({ number }) => number)
    },

    async retarget(number, base) {
      const pull = await requirePull(store, number)
      if (pull.state !== 'open' || pull.baseBranch === base) return
      await store.pulls.update(number, { baseBranch: base, updatedAt: clock() })
      hints.emit(number)
    },

    async close(number) {
      const pull = await requirePull(store, number)
      if (pull.state !== 'open') return
      await store.pulls.update(number, { state: 'closed', updatedAt: clock() })
      await ended(pull)
    },

    diff: async (number) => {
      const { base, head } = await endsOf(number)
      return git.diff(base, head)
    },

    commits: async (number) => {
      const { base, head } = await endsOf(number)
      const commits = await git.commits(base, head, MOST_COMMITS)
      return commits.toReversed().map(({ sha, subject, author, at }) => ({
        ...{ sha, title: subject, at },
        author: author.replace(/ <[^>]*>$/, ''),
      }))
    },

    requestReview: async (number) => {
      await requirePull(store, number)
      return null
    },
  }
}
