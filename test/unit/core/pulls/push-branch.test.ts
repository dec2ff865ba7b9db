import { describe, expect, it } from 'vitest'
import type { Agent } from '../../../../src/domain/records.ts'
import { createBranchPush } from '../../../../src/core/pulls/push-branch.ts'
import { parseSha, type Sha } from '../../../../src/domain/ids.ts'

const shaOf = (digit: string): Sha => parseSha(digit.repeat(40))
const [OLD, HEAD, OTHERS] = [shaOf('1'), shaOf('2'), shaOf('3')]
const agent = { branch: 'main.a' } as Agent

/** A remote that refuses, and has this by then. */
function refusing(after: Sha) {
  const tips = [OLD, after]
  const noted: unknown[] = []
  const push = createBranchPush({
    store: {
      snapshots: {
        get: async () => undefined,
        put: async (_key: string, value: unknown) => void noted.push(value),
      },
    },
    git: {
      remoteTip: async () => tips.shift() ?? after,
      resolve: async () => OLD,
      isAncestor: async () => true,
      hasHeld: async () => false,
      push: async () => ({ kind: 'rejected', reason: 'cannot lock ref', cause: 'cannot lock ref' }),
    },
    forge: { remote: 'exomonad' },
  } as unknown as Parameters<typeof createBranchPush>[0])
  return { push, noted }
}

describe('the push of an agent’s branch', () => {
  it('is done where another push brought the same there in the same instant', async () => {
    const { push, noted } = refusing(HEAD)
    await push.push(agent, HEAD)
    expect(noted).toEqual([{ sha: HEAD }])
  })

  it('is refused where the remote has anything else', async () => {
    const { push, noted } = refusing(OTHERS)
    await expect(push.push(agent, HEAD)).rejects.toMatchObject({
      code: 'HEAD_CHANGED',
      facts: { branch: 'main.a', reason: 'cannot lock ref' },
    })
    expect(noted).toEqual([])
  })
})
