import { sharesBranch } from '../../../domain/agent-kinds.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { Actor, Sha } from '../../../domain/ids.ts'
import type { Agent } from '../../../domain/records.ts'
import { createBranches } from '../branches.ts'
import { createConflicts } from '../conflicts.ts'
import type { AskedReviewer, PullRequestSnapshot, SnapshotResult } from '../forge.ts'
import type { MarkSigner } from '../mark-key.ts'
import { createSameWork, judgeReviews } from '../review-decision.ts'
import { unreadable } from '../unreadable.ts'
import { readChecks } from './checks.ts'
import type { GiteaClient } from './client.ts'
import type { SeenHeads } from './seen-heads.ts'
import type { GiteaForgeOptions } from './options.ts'
import { blockersOf, readProtection } from './protection.ts'
import {
  baseOf,
  headOf,
  isFork,
  lookAt,
  plainTitle,
  stateOf,
  type RawPull,
  type RawUser,
} from './pull.ts'
import { takenBack, toComments, toReviews, type RawWords, type Readers } from './reviews.ts'
import type { ReadWords } from './words.ts'
import type { Writers } from './write-access.ts'

/** Makes snapshots of what Gitea says, with what git and the store add to it. */
export function createSnapshots({
  git,
  remote,
  store,
  log,
  repository: { host },
  client,
  words: readWords,
  writers,
  signer,
  seenHeads,
}: Pick<GiteaForgeOptions, 'git' | 'remote' | 'store' | 'log' | 'repository'> & {
  client: GiteaClient
  words: ReadWords
  writers: Writers
  signer: () => Promise<MarkSigner>
  seenHeads: SeenHeads
}): (numbers: readonly number[]) => Promise<SnapshotResult[]> {
  const branches = createBranches({ git, remote })
  const conflictsOf = createConflicts({ git, branches })
  const sameWork = createSameWork({ git, snapshots: store.snapshots })

  const readersFor = async (
    { number, user }: RawPull,
    words: RawWords,
    agents: readonly Agent[],
  ): Promise<Readers> => {
    const names = new Map<string, string>(agents.map(({ id, name }) => [id, name]))
    const viewer = await client.viewer()
    return {
      number,
      viewer,
      writers: await writers(speakers(user, words).filter((login) => login !== viewer)),
      signer: await signer(),
      nameOf: (actor) => names.get(actor) ?? actor.replace(/^forge:/, ''),
    }
  }

  /** Gitea says “not mergeable” of what it has not looked at, too: git says it at once. */
  const mergeability = async (
    pull: RawPull,
    within: boolean,
  ): Promise<Pick<PullRequestSnapshot, 'mergeable' | 'conflictFiles'>> => {
    const ends = {
      head: { branch: headOf(pull), sha: pull.head.sha as Sha },
      base: { branch: baseOf(pull), sha: pull.base.sha as Sha },
    }
    try {
      if (within) await branches.bringIn([ends.head, ends.base])
      else return { mergeable: 'unknown', conflictFiles: [] }
    } catch (error) {
      if (!(error instanceof ExomonadError)) throw error
      return { mergeable: 'unknown', conflictFiles: [] }
    }
    const conflictFiles = await conflictsOf(ends)
    return { mergeable: conflictFiles.length > 0 ? 'conflicting' : 'mergeable', conflictFiles }
  }

  /** False where that can’t be determined. */
  const isBehind = async (pull: RawPull): Promise<boolean> => {
    try {
      await branches.bringIn([
        { branch: headOf(pull), sha: pull.head.sha as Sha },
        { branch: baseOf(pull), sha: pull.base.sha as Sha },
      ])
      return !(await git.isAncestor(pull.base.sha as Sha, pull.head.sha as Sha))
    } catch (error) {
      if (!(error instanceof ExomonadError)) throw error
      return false
    }
  }

  const compose = async (
    number: number,
    agents: readonly Agent[],
  ): Promise<PullRequestSnapshot> => {
    const pull = await lookAt(client, number)
    const within = !isFork(pull)
    const agentId = within
      ? (agents.findLast((one) => one.branch === headOf(pull) && !sharesBranch(one))?.id ?? null)
      : null
    const said = await readWords(pull)
    const readers = await readersFor(pull, said, agents)
    const author = pull.user?.login ?? 'ghost'
    const believed =
      within &&
      (agentId !== null || author === readers.viewer || readers.writers.has(author.toLowerCase()))
    const head = pull.head.sha as Sha
    const base = pull.base.sha as Sha
    const pushed =
      stateOf(pull) === 'open' &&
      within &&
      (await seenHeads.isMerged(number, {
        head,
        base,
        headBranch: headOf(pull),
        baseBranch: baseOf(pull),
      }))
    const state = pushed ? 'merged' : stateOf(pull)
    const isOpen = state === 'open'
    if (!isOpen) await sameWork.forget(number)
    if (stateOf(pull) !== 'open') await seenHeads.forget(number)

    const protection = isOpen ? await readProtection(client, baseOf(pull)) : null
    const asked = askedOf(pull)
    return {
      number,
      url: pull.html_url,
      title: believed ? plainTitle(pull.title) : `Pull request of ${author}`,
      body: believed ? (pull.body ?? '') : '',
      state,
      draft: pull.draft === true || plainTitle(pull.title) !== pull.title,
      head: { branch: headOf(pull), sha: head },
      base: { branch: baseOf(pull), sha: isOpen ? base : null },
      trusted: within,
      agentId,
      ...(isOpen ? await mergeability(pull, within) : { mergeable: 'unknown', conflictFiles: [] }),
      ...(await judgeReviews(toReviews(said, readers), {
        head,
        author: agentId,
        takenBack: takenBack(said.reviews),
        sameWork: async (reviewed) => {
          if (!isOpen || !within) return false
          await branches.bringIn([
            { branch: headOf(pull), sha: head },
            { branch: baseOf(pull), sha: base },
          ])
          return sameWork.is(number, { base, reviewed, head })
        },
      })),
      comments: toComments(said, readers),
      ...(await readChecks(client, head, protection?.branch ?? null)),
      blockers: isOpen
        ? blockersOf(protection, {
            reviews: said.reviews,
            base: baseOf(pull),
            host,
            isBehind: protection?.rule?.block_on_outdated_branch === true && (await isBehind(pull)),
          })
        : [],
      ...(asked.length === 0 ? {} : { asked }),
      ...mergeFacts(pull, { merged: state === 'merged', pushed, viewer: readers.viewer }),
      createdAt: Date.parse(pull.created_at),
      updatedAt: Date.parse(pull.updated_at),
    }
  }

  return async (numbers) => {
    const agents = await store.agents.list()
    const results: SnapshotResult[] = []
    for (const number of numbers) {
      try {
        results.push({ number, snapshot: await compose(number, agents) })
      } catch (error) {
        if (!(error instanceof ExomonadError)) throw error
        if (error.code === 'PR_NOT_FOUND') {
          results.push({ number, missing: true })
          continue
        }
        log.info({ err: error, number }, 'a pull request could not be read')
        results.push({ number, ...unreadable(error) })
      }
    }
    return results
  }
}

const askedOf = (pull: RawPull): AskedReviewer[] =>
  [...(pull.requested_reviewers ?? []), ...(pull.requested_reviewers_teams ?? [])]
    .filter((one) => one !== null)
    .map((one) => ({ name: 'login' in one ? one.login : one.name, codeOwner: false }))

/** What is known of its merge; `pushed`: by git, which Gitea takes for none. */
function mergeFacts(
  pull: RawPull,
  { merged, pushed, viewer }: { merged: boolean; pushed: boolean; viewer: string | null },
): Pick<PullRequestSnapshot, 'mergeSha' | 'mergedByOther' | 'mergedBy' | 'mergedHead'> {
  if (!merged) return { mergeSha: null, mergedBy: null, mergedHead: null }
  return {
    mergeSha: (pushed ? pull.base.sha : pull.merge_commit_sha) as Sha | null,
    ...(pull.merged_by?.login === viewer ? {} : { mergedByOther: true }),
    mergedBy: `forge:${pushed ? 'git' : (pull.merged_by?.login ?? 'ghost')}` satisfies Actor,
    mergedHead: pull.head.sha as Sha,
  }
}

/** Logins of all who said something here. */
function speakers(author: RawUser | null, { reviews, onLines, comments }: RawWords): string[] {
  const said = [...reviews, ...[...onLines.values()].flat(), ...comments].map(({ user }) => user)
  return [author, ...said].flatMap((user) => (user === null ? [] : [user.login]))
}
