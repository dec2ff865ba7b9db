import { access } from 'node:fs/promises'
import { join } from 'node:path'
import type { Git } from './git.ts'
import type { LookUp } from './look-up.ts'
import type { Run } from './run.ts'

/** How many pairs of commits are remembered for each question. */
const REMEMBERED = 5000

/**
 * How two commits lie to each other. That never changes, and is asked of the same ones again and
 * again while they are followed: it is remembered. In a shallow clone a later fetch may bring the
 * commits between them, so that nothing but “yes, it is in its history” is.
 */
export function createAncestry({
  run,
  commonDir,
  lookUp,
}: {
  run: Run
  commonDir: string
  lookUp?: LookUp | undefined
}): Pick<Git, 'isAncestor' | 'countCommits'> {
  /**
   * What is asked most is of a commit and one made right on it. The first two parents, as far as
   * they can be read without a process.
   */
  const parentsOf = async (commit: string): Promise<readonly unknown[]> =>
    lookUp === undefined
      ? []
      : Promise.all([lookUp.commit(`${commit}^1`), lookUp.commit(`${commit}^2`)])
  const isShallow = (): Promise<boolean> =>
    access(join(commonDir, 'shallow')).then(
      () => true,
      () => false,
    )
  const remembered = <Answer>(
    ask: (one: string, other: string) => Promise<Answer>,
    lasts: (answer: Answer) => boolean,
  ) => {
    const known = new Map<string, Answer>()
    return async (one: string, other: string): Promise<Answer> => {
      const pair = `${one} ${other}`
      const before = known.get(pair)
      if (before !== undefined) return before
      const answer = await ask(one, other)
      if (lasts(answer) || !(await isShallow())) known.set(pair, answer)
      const [oldest] = known.keys()
      if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest)
      return answer
    }
  }

  const isAncestor = remembered(
    async (ancestor, descendant) => {
      const [below, above] = await Promise.all([parentsOf(descendant), parentsOf(ancestor)])
      if (below.includes(ancestor)) return true
      if (above.includes(descendant)) return false
      const result = await run.attempt(['merge-base', '--is-ancestor', ancestor, descendant], {
        reads: true,
      })
      if (result.exitCode === 0) return true
      if (result.exitCode === 1) return false
      throw run.failure('compare two commits', result)
    },
    (is) => is,
  )
  const countCommits = remembered(
    async (base, head) => {
      const [first, second] = await parentsOf(head)
      if (first === base && second === null) return 1
      return Number(
        await run.output('count commits', ['rev-list', '--count', `${base}..${head}`], {
          reads: true,
        }),
      )
    },
    () => false,
  )
  return {
    isAncestor: async (ancestor, descendant) =>
      ancestor === descendant || isAncestor(ancestor, descendant),
    countCommits: async (base, head) => (base === head ? 0 : countCommits(base, head)),
  }
}
