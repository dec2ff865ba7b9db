import { describe, expect, it } from 'vitest'
import { publishMergedHere } from '../../../../../src/adapters/forge/local/merged-here.ts'
import type { Git } from '../../../../../src/adapters/git/git.ts'
import type { PullRow } from '../../../../../src/domain/forge-rows.ts'
import { asBranchName, type BranchName, type Sha } from '../../../../../src/domain/ids.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

const sha = (digit: string): Sha => digit.repeat(40) as Sha
/** A line of commits: each holds those before it. */
const [OLD, HEAD, MERGED, LATER] = ['1', '2', '3', '4'].map(sha) as [Sha, Sha, Sha, Sha]
const BASE = asBranchName('main')
const row = { baseBranch: BASE, headBranch: asBranchName('main.a'), headSha: HEAD } as PullRow

/** A repository in which `main.a` was merged into `main` by hand, while another look did the same. */
async function look(meanwhile: Sha | 'unreachable' | null): Promise<Map<BranchName, Sha>> {
  const git = {
    resolve: async (name: string) => (name === `refs/heads/${BASE}` ? MERGED : (name as Sha)),
    isAncestor: async (one: Sha, other: Sha) => one <= other,
    push: async () =>
      meanwhile === null
        ? { kind: 'pushed' }
        : { kind: 'rejected', reason: 'stale info', cause: 'stale info' },
  } as unknown as Git
  const tips = new Map([
    [BASE, OLD],
    [row.headBranch, HEAD],
  ])
  const branches = {
    tips: async (): Promise<Map<BranchName, Sha>> => {
      if (meanwhile === 'unreachable' || meanwhile === null) throw new Error('unreachable')
      return new Map([[BASE, meanwhile]])
    },
  }
  await publishMergedHere({ git, remote: 'exomonad', log: silentLog(), branches }, [row], tips)
  return tips
}

describe('what was merged by hand', () => {
  it('is merged for the look that publishes it', async () => {
    expect((await look(null)).get(BASE)).toBe(MERGED)
  })
  it.each([
    ['published by another look', MERGED],
    ['followed by a merge', LATER],
  ])('is merged also where it was %s meanwhile', async (_, meanwhile) => {
    expect((await look(meanwhile)).get(BASE)).toBe(meanwhile)
  })
  it('waits for the next look where the remote does not answer', async () => {
    expect((await look('unreachable')).get(BASE)).toBe(OLD)
  })
})
