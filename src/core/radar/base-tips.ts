import type { NoSnapshot } from '../../adapters/git/radar/radar-git.ts'
import type { BranchName, Sha } from '../../domain/ids.ts'
import type { Deps } from '../deps.ts'
import type { Side } from './judge.ts'
import type { Member } from './pairs.ts'

/** Null: there is no such branch. */
export type BaseTips = ReadonlyMap<BranchName, Sha | null>

/** Where the work of agents will go. */
export function createBaseTips({ git, forge }: Pick<Deps, 'git' | 'forge'>): {
  /** As its owner has it, where the forge knows of less. */
  read(members: readonly Member[]): Promise<BaseTips>
  sideOf(tip: Sha | null | undefined): Promise<Side | NoSnapshot>
} {
  const trees = new Map<Sha, Sha>()
  const tipOf = async (branch: BranchName): Promise<Sha | null> => {
    const [here, there] = await Promise.all([
      git.resolve(`refs/heads/${branch}`),
      git.resolve(`refs/remotes/${forge.remote}/${branch}`),
    ])
    return here !== null &&
      (there === null || there === here || (await git.isAncestor(there, here)))
      ? here
      : there
  }
  return {
    read: async (members) => {
      const bases = new Set(members.flatMap(({ baseBranch }) => baseBranch ?? []))
      const found = new Map<BranchName, Sha | null>()
      for (const base of bases) found.set(base, await tipOf(base))
      return found
    },
    sideOf: async (tip) => {
      if (tip === null || tip === undefined)
        return { kind: 'unknown', why: 'there is no such branch' }
      if (!trees.has(tip)) for (const [of, tree] of await git.treesOf([tip])) trees.set(of, tree)
      return { commit: tip, head: tip, tree: trees.get(tip) ?? tip }
    },
  }
}
