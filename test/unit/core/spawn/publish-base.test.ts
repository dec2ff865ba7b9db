import { expect, it } from 'vitest'
import type { Forge } from '../../../../src/adapters/forge/forge.ts'
import type { Git } from '../../../../src/adapters/git/git.ts'
import { createPublishBase } from '../../../../src/core/spawn/publish-base.ts'
import type { Caller } from '../../../../src/domain/caller.ts'
import { asBranchName, type Sha } from '../../../../src/domain/ids.ts'
import { makeAgent } from '../make-agent.ts'

const sha = (digit: string): Sha => digit.repeat(40) as Sha
/** A line of commits: each holds those before it. */
const [OLD, EARLIER, BASE] = ['1', '2', '3'].map(sha) as [Sha, Sha, Sha]
const MAIN = asBranchName('main')

/** Publishes `main`, at BASE here and at OLD there; `answers`: of its pushes. */
function publish(there: Sha, ...answers: ('pushed' | 'refused')[]): Promise<string | null> {
  let known = OLD
  const git = {
    resolve: async (name: string) => (name.startsWith('refs/remotes/') ? known : (name as Sha)),
    remoteTip: async () => there,
    fetch: async () => void (known = there),
    isAncestor: async (one: Sha, other: Sha) => one <= other,
    push: async () =>
      answers.shift() === 'pushed'
        ? { kind: 'pushed' }
        : { kind: 'rejected', reason: 'cannot lock ref', cause: 'cannot lock ref' },
  } as unknown as Git
  const forge = { kind: 'local', remote: 'exomonad' } as Forge
  const caller = { kind: 'human', agent: makeAgent({ kind: 'root' }) } as Caller
  return createPublishBase({ git, forge })(caller, { branch: MAIN, sha: BASE } as never)
}

it('a base that somebody else brought earlier commits of meanwhile is pushed on from there', async () => {
  expect(await publish(EARLIER, 'refused', 'pushed')).toBeNull()
  expect(await publish(BASE, 'refused')).toBeNull()
})

it('one that is refused again starts nobody', async () => {
  await expect(publish(OLD, 'refused', 'refused')).rejects.toMatchObject({ code: 'SPAWN_FAILED' })
})
