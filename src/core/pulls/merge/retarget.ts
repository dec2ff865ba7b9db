import type { Forge } from '../../../adapters/forge/forge.ts'
import { ExomonadError } from '../../../domain/errors.ts'
import type { BranchName } from '../../../domain/ids.ts'

export interface Retargeting {
  /** Open pull requests onto this branch. */
  onto(branch: BranchName): Promise<number[]>
  /**
   * Points those of them that are open and not there yet to another base, and makes sure that the
   * forge did: a base that is deleted too early closes them. FORGE_UNAVAILABLE where one is found
   * elsewhere or can’t be read.
   */
  move(numbers: readonly number[], base: BranchName): Promise<void>
}

export function createRetargeting({
  forge,
}: {
  forge: Pick<Forge, 'find' | 'retarget' | 'snapshots'>
}): Retargeting {
  /** Of these: the open ones that have another base. Those that are gone are nobody’s any more. */
  const elsewhere = async (numbers: readonly number[], base: BranchName): Promise<number[]> => {
    const results = numbers.length === 0 ? [] : await forge.snapshots(numbers)
    return results.flatMap((result) => {
      if ('missing' in result) return []
      if ('unknown' in result)
        throw new ExomonadError(
          'FORGE_UNAVAILABLE',
          `#${result.number} can’t be read now: ${result.unknown}`,
          { number: result.number },
        )
      return result.snapshot.state === 'open' && result.snapshot.base.branch !== base
        ? [result.number]
        : []
    })
  }

  return {
    onto: (branch) => forge.find({ state: 'open', base: branch }),

    move: async (numbers, base) => {
      const wanted = await elsewhere(numbers, base)
      for (const number of wanted) await forge.retarget(number, base)
      const [stays] = await elsewhere(wanted, base)
      if (stays === undefined) return
      throw new ExomonadError(
        'FORGE_UNAVAILABLE',
        `#${stays} was pointed to ${base}, and still has another base. Nothing was merged; try again.`,
        {
          number: stays,
          base,
        },
      )
    },
  }
}
