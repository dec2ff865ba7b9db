import { describe, expect, it } from 'vitest'
import { publishMergedHere } from '../../../../../src/adapters/forge/local/merged-here.ts'
import type { Git } from '../../../../../src/adapters/git/git.ts'
import type { PullRow } from '../../../../../src/domain/forge-rows.ts'
import { asBranchName, type BranchName, type Sha } from '../../../../../src/domain/ids.ts'
import { silentLog } from '../../../../../src/runtime/log.ts'

const sha = (digit: string): Sha => digit.repeat(40) as Sha
/** A line of commits: each holds those before it. */
const [OLD, HEAD, MERGED, LATER] = ['1', '2', '3', '4'].map(sha) as [Sha, Sha, Sha, Sha]
/** Of one’s own, made before the merge: in it, and without what was merged. */
const OWN = `${OLD.slice(1)}9` as Sha
const BASE = asBranchName('main')
const row = { baseBranch: BASE, headBranch: asBranchName('main.a'), headSha: HEAD } as PullRow

type Answer = 'pushed' | 'refused' | 'unreachable'

/**
 * A look at a repository in which `main.a` was merged into `main` by hand. `answers`: to its pushes,
 * one after the other; `meanwhile`: what the remote’s `main` is after a refusal, null where it can’t
 * be read.
 */
async function look({
  answers,
  meanwhile,
}: {
  answers: Answer[]
  meanwhile: Sha | null
}): Promise<{ base: Sha | undefined; left: Answer[] }> {
  const git = {
    resolve: async (name: string) => (name === `refs/heads/${BASE}` ? MERGED : (name as Sha)),
    isAncestor: async (one: Sha, other: Sha) => one <= other,
    push: async () => {
      const answer = answers.shift()
      if (answer === 'unreachable') throw new Error('it does not answer')
      return answer === 'pushed'
        ? { kind: 'pushed' }
        : { kind: 'rejected', reason: 'stale info', cause: 'stale info' }
    },
  } as unknown as Git
  const tips = new Map([
    [BASE, OLD],
    [row.headBranch, HEAD],
  ])
  const branches = {
    tips: async (): Promise<Map<BranchName, Sha>> => {
      if (meanwhile === null) throw new Error('unreachable')
      return new Map([[BASE, meanwhile]])
    },
  }
  await publishMergedHere({ git, remote: 'exomonad', log: silentLog(), branches }, [row], tips)
  return { base: tips.get(BASE), left: answers }
}

describe('what was merged by hand', () => {
  it('is merged for the look that publishes it', async () => {
    expect(await look({ answers: ['pushed'], meanwhile: null })).toEqual({ base: MERGED, left: [] })
  })
  it.each([
    ['published by another look', MERGED],
    ['followed by a merge', LATER],
  ])('is merged also where it was %s meanwhile', async (_, meanwhile) => {
    expect(await look({ answers: ['refused', 'pushed'], meanwhile })).toEqual({
      base: meanwhile,
      left: ['pushed'],
    })
  })
  it('is pushed again where it was refused and nobody else had moved the branch', async () => {
    const { base } = await look({ answers: ['refused', 'refused', 'pushed'], meanwhile: OLD })
    expect(base).toBe(MERGED)
  })
  it('is pushed on from where somebody else brought earlier commits meanwhile', async () => {
    expect(await look({ answers: ['refused', 'pushed'], meanwhile: OWN })).toEqual({
      base: MERGED,
      left: [],
    })
  })
  it.each<[string, Answer[], Sha | null]>([
    ['is refused again and again', ['refused', 'refused', 'refused'], OLD],
    ['does not answer', ['refused'], null],
  ])('waits for the next look where the remote %s', async (_, answers, meanwhile) => {
    expect(await look({ answers, meanwhile })).toEqual({ base: OLD, left: [] })
  })
  it('waits for the next look where the remote can’t be reached: the same again would take as long', async () => {
    expect(await look({ answers: ['unreachable', 'pushed'], meanwhile: OLD })).toEqual({
      base: OLD,
      left: ['pushed'],
    })
  })
})
