import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Sha } from '../../ids.ts'
import type { Git } from './git.ts'
import type { Run } from './run.ts'

/** How many pairs of commits are remembered. */
const REMEMBERED = 5000

/**
 * Whether one commit is in another's history. That never changes, and is asked of the same commits again and again while they are followed: it is
 * remembered. In a shallow clone a later fetch may bring the commits between them, so that only “yes” is.
 */
export function createAncestry({ run, commonDir }: { run: Run; commonDir: string }): Pick<Git, 'isAncestor'> {
  const known = new Map<string, boolean>()
  const remember = (pair: string, is: boolean): void => {
    known.set(pair, is)
    const [oldest] = known.keys()
    if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
  }
  const isShallow = (): Promise<boolean> =>
    access(join(commonDir, 'shallow')).then(
      () => true,
      () => false,
    )
  return {
    async isAncestor(ancestor: Sha, descendant: Sha) {
      if (ancestor === descendant) return true
      const pair = `${ancestor} ${descendant}`
      const before = known.get(pair)
      if (before !== undefined) return before
      const result = await run.attempt(['merge-base', '--is-ancestor', ancestor, descendant], { reads: true })
      if (result.exitCode !== 0 && result.exitCode !== 1) throw run.failure('compare two commits', result)
      const is = result.exitCode === 0
      if (is || !(await isShallow())) remember(pair, is)
      return is
    },
  }
}
