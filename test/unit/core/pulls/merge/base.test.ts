import { describe, expect, it } from 'vitest'
import type { Forge } from '../../../../../src/adapters/forge/forge.ts'
import type { Git } from '../../../../../src/adapters/git/git.ts'
import { createMergeBase } from '../../../../../src/core/pulls/merge/base.ts'
import { asBranchName, type Sha } from '../../../../../src/domain/ids.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

const sha = (digit: string): Sha => digit.repeat(40) as Sha
/** A line of commits: each holds those before it. What begins with `f` is on none. */
const [OLD, EARLIER, LOCAL, LATER, OTHER] = ['1', '2', '3', '4', 'f'].map(sha) as [
  ...[Sha, Sha, Sha, Sha, Sha],
]
const MAIN = asBranchName('main')

/**
 * Publishes `main`, which is at LOCAL here and at OLD on the remote. `meanwhile`: where the remote’s
 * is when each push comes; one that expects another is refused.
 */
async function publish(...meanwhile: Sha[]): Promise<{ said: string | undefined; left: number }> {
  let there = OLD
  const git = {
    resolve: async (name: string) => (name === `refs/heads/${MAIN}` ? LOCAL : (name as Sha)),
    remoteTip: async () => there,
    isAncestor: async (one: Sha, other: Sha) =>
      one === other || (one !== OTHER && other !== OTHER && one < other),
    push: async (_remote: string, { expected }: { expected: Sha }) => {
      there = meanwhile.shift() ?? there
      return there === expected
        ? { kind: 'pushed' }
        : { kind: 'rejected', reason: 'stale info', cause: 'stale info' }
    },
  } as unknown as Git
  const forge = { kind: 'local', remote: 'exomonad' } as Forge
  const base = createMergeBase({ git, forge, log: silentLog(), branchPush: undefined as never })
  return { said: await base.publish(MAIN, undefined), left: meanwhile.length }
}

describe('the commits of a person’s own, before a merge', () => {
  it.each<[string, Sha[]]>([
    ['nobody else pushes', [OLD]],
    ['another brings the same there meanwhile', [LOCAL]],
    ['another merges onto them meanwhile', [LATER]],
    ['another brings the earlier ones there meanwhile', [EARLIER, EARLIER]],
  ])('are there where %s', async (_, meanwhile) => {
    expect(await publish(...meanwhile)).toEqual({ said: undefined, left: 0 })
  })
  it('are said not to be there where the remote has gone another way', async () => {
    expect(await publish(OTHER, OTHER)).toEqual({ said: 'stale info', left: 1 })
  })
})
