import { describe, expect, it, onTestFinished } from 'vitest'
import { configSchema } from '../../../src/config/schema.ts'
import { createPoller } from '../../../src/pull-watch/poller.ts'
import { createPublisher } from '../../../src/delivery/publisher.ts'
import { type BranchName, newDeliveryId } from '../../../src/domain/ids.ts'
import { silentLog } from '../../../src/runtime/log.ts'
import { agentRow } from '../../conformance/store/rows.ts'
import { openGithubForge } from '../../helpers/github/github-forge.ts'
import { virtualTime } from '../../helpers/virtual-time.ts'

const MINUTE = 60_000

describe('(20.16) an hour at the daemon’s default cadence', () => {
  it('costs a point each 30 s while something is pending, whatever else is open, and what others say is reported in time', async () => {
    const time = virtualTime(Date.now())
    const { github, repository, store, forge, log } = await open(time.clock)
    const heads: string[] = []
    const refs: string[] = []
    for (let index = 0; index < 10; index++) {
      const head = await repository.git(
        'commit-tree',
        'main^{tree}',
        '-p',
        'main',
        '-m',
        `Commit ${index}`,
      )
      heads.push(head)
      refs.push(`${head}:refs/heads/main.w${index}`)
      await store.agents.insert(
        agentRow({
          name: `w${index}`,
          branch: `main.w${index}` as BranchName,
          kind: 'worker',
          parentId: null,
          depth: 1,
          state: 'idle',
        }),
      )
    }
    await repository.git('push', '-q', 'origin', ...refs)
    github.addUser('ann', 'write')
    for (const [index, head] of heads.entries()) {
      const number = await github
        .as('robot')
        .open({ head: `main.w${index}`, base: 'main', title: `Work ${index}` })
      github.setCheck(head, { name: 'ci', conclusion: index < 3 ? null : 'success' })
      await github.as('ann').review(number, { state: 'APPROVED' })
    }
    const poller = createPoller({
      forge,
      store,
      publisher: createPublisher({
        store,
        renderer: { render: async () => '', renderPrompt: async () => '' },
        clock: time.clock,
        log,
        newDeliveryId,
      }),
      config: () => configSchema.parse({}),
      clock: time.clock,
      log,
      timers: time.timers,
    })
    const pass = (milliseconds: number) => time.pass(milliseconds, () => poller.poll([]))
    poller.start()
    await pass(40 * MINUTE)
    // As if filed at another moment than the others.
    await pass(17_000)
    await poller.poll([1, 2, 3])

    const from = github.calls.length
    await pass(30 * MINUTE)
    await github.as('ann').comment(7, 'Look here')
    // At the next idle look, and not later.
    await pass(5 * MINUTE)
    expect(
      (await store.events.list({ last: 50 })).filter(({ type }) => type === 'pr.comment'),
    ).toHaveLength(1)
    await pass(25 * MINUTE)
    const asked = github.calls.slice(from)
    // Whether whoever wrote may still write is asked each ten minutes, and answered at no cost.
    expect(asked.filter(({ path, status }) => path !== '/graphql' && status !== 304)).toEqual([])
    const points = asked.reduce((sum, { cost }) => sum + (cost ?? 0), 0)
    // A look each 30 s; what came is read in full when it is seen, and once more as GitHub’s times
    // are whole seconds.
    expect(points).toBeGreaterThanOrEqual(119)
    expect(points).toBeLessThanOrEqual(122)
    await poller.stop()
  })
})

async function open(clock: () => number) {
  const opened = await openGithubForge({ clock })
  onTestFinished(() => opened.close())
  return { ...opened, log: silentLog() }
}
