import type { Sha } from '../../../domain/ids.ts'
import type { Git } from '../../git/git.ts'
import type { TextGate } from '../../../sanitize/text-gate.ts'
import type { PullRow } from '../../../domain/forge-rows.ts'
import type { MergeStrategy } from '../merge-results.ts'
import { squashMessage } from '../squash-message.ts'

/** The commit that would be the base’s tip, or the files in which that can’t be. */
export type MergeCommit =
  | { kind: 'made'; sha: Sha; tree: Sha }
  | { kind: 'conflict'; files: readonly string[] }

/** What the message of its merge is made of. `headName`: where that names its branch otherwise. */
export type MergedPull = Pick<PullRow, 'number' | 'headBranch' | 'title' | 'body'> & {
  readonly headName?: string
}

interface Merging {
  readonly pull: MergedPull
  readonly base: Sha
  readonly head: Sha
  readonly message: string | undefined
}

/**
 * Makes merge commits in objects alone: no worktree and no ref is touched, so that what is not
 * pushed never happened.
 */
export function createMergeCommit({
  git,
  gate,
}: {
  git: Git
  gate: Pick<TextGate, 'text'>
}): (strategy: MergeStrategy, merging: Merging) => Promise<MergeCommit> {
  const merge = async ({ pull, base, head, message }: Merging): Promise<MergeCommit> => {
    const merged = await git.mergeTree(base, head)
    if (merged.kind === 'conflict') return merged
    const text =
      message ??
      `Merge pull request #${pull.number} from ${pull.headName ?? pull.headBranch}\n\n${pull.title}`
    return {
      kind: 'made',
      tree: merged.tree,
      sha: await git.commitTree({ tree: merged.tree, parents: [base, head], message: text }),
    }
  }

  /** The author of the first commit stays the author, with the date of the last. */
  const squash = async ({ pull, base, head, message }: Merging): Promise<MergeCommit> => {
    const merged = await git.mergeTree(base, head)
    if (merged.kind === 'conflict') return merged
    const listed = await git.readCommits(base, head)
    const own = listed.filter((commit) => commit.parents.length < 2)
    const commits = (own.length > 0 ? own : listed).toReversed()
    const first = commits[0] ?? (await git.readCommit(head))
    const last = commits.at(-1) ?? first
    const author = {
      ...first.author,
      ...(last.author.date === undefined ? {} : { date: last.author.date }),
    }
    const text = squashMessage({
      number: pull.number,
      title: pull.title,
      body: pull.body,
      text: message,
      author,
      commits,
      gate,
    })
    return {
      kind: 'made',
      tree: merged.tree,
      sha: await git.commitTree({ tree: merged.tree, parents: [base], message: text, author }),
    }
  }

  /**
   * Replays one commit C onto X: F has X’s files and C’s parent, so that merging F and C applies
   * exactly what C did (git 2.39 has neither `replay` nor `merge-tree --merge-base`). Returns X
   * where C did nothing that X lacks.
   */
  const replay = async (commit: Sha, parent: Sha, onto: Sha): Promise<MergeCommit> => {
    const [original, { tree: ontoTree }] = await Promise.all([
      git.readCommit(commit),
      git.readCommit(onto),
    ])
    const bridge = await git.commitTree({ tree: ontoTree, parents: [parent], message: 'bridge' })
    const merged = await git.mergeTree(bridge, commit)
    if (merged.kind === 'conflict') return merged
    if (merged.tree === ontoTree) return { kind: 'made', sha: onto, tree: ontoTree }
    return {
      kind: 'made',
      tree: merged.tree,
      sha: await git.commitTree({
        tree: merged.tree,
        parents: [onto],
        message: original.message,
        author: original.author,
      }),
    }
  }

  const rebase = async ({ base, head }: Merging): Promise<MergeCommit> => {
    const whole = await git.mergeTree(base, head)
    if (whole.kind === 'conflict') return whole
    let tip = base
    for (const commit of (await git.commits(base, head)).toReversed()) {
      const [parent, second] = commit.parents
      if (parent === undefined || second !== undefined) continue
      const result = await replay(commit.sha, parent, tip)
      if (result.kind === 'conflict') return result
      tip = result.sha
    }
    // What a merge commit on the branch resolved by hand is not in any single commit: losing it
    // silently would be worse than refusing.
    if ((await git.readCommit(tip)).tree !== whole.tree) {
      const wanted = await git.commitTree({ tree: whole.tree, parents: [tip], message: 'wanted' })
      return { kind: 'conflict', files: await git.changedFiles(tip, wanted) }
    }
    return { kind: 'made', sha: tip, tree: whole.tree }
  }

  const strategies = { merge, squash, rebase }
  return (strategy, merging) => strategies[strategy](merging)
}
