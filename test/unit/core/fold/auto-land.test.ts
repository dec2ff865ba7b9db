import { expect, it } from 'vitest'
import { createAutoLand } from '../../../../src/core/fold/ahead/auto-land.ts'
import { ExomonadError } from '../../../../src/domain/errors.ts'
import { asBranchName, type AgentId } from '../../../../src/domain/ids.ts'
import { silentLog } from '../../../../src/runtime/log.ts'
import { OWNER, pull } from '../../pull-watch/pull.ts'
import { makeAgent } from '../make-agent.ts'

const ROOT = '00000000-0000-7000-8000-000000000001' as AgentId
const MAIN = asBranchName('main')

it('asks once for what is refused, and again where the forge could not be asked', async () => {
  const answers = [
    new ExomonadError('FORGE_UNAVAILABLE', 'no route'),
    new ExomonadError('PR_NOT_MERGEABLE', 'it conflicts'),
  ]
  const asked: number[] = []
  const autoLand = createAutoLand({
    log: silentLog(),
    store: {
      journal: { open: async () => [] },
      agents: {
        list: async () => [
          makeAgent({ id: ROOT, kind: 'root', parentId: null, branch: MAIN, baseBranch: null }),
          makeAgent({ id: OWNER, parentId: ROOT, branch: pull().head.branch, baseBranch: MAIN }),
        ],
      },
    } as never,
    merge: async (_, { number }) => {
      asked.push(number)
      throw answers.shift()
    },
  })
  const { number, head, title } = pull()
  const candidate = {
    ...{ number, title, head: head.sha, branch: head.branch, owner: OWNER },
    strategy: 'squash' as const,
    pull: pull({ reviewDecision: 'approved' }),
  }
  await expect(autoLand(MAIN, [candidate])).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' })
  for (let rounds = 0; rounds < 3; rounds++) await autoLand(MAIN, [candidate])
  expect(asked).toEqual([number, number])
})
