import { expect, it } from 'vitest'
import type { WireEvent } from '../../../src/surfaces/client.ts'
import { demoEndsWell, LIMIT, payloads } from '../../helpers/github/github-demo.ts'
import { verifies } from '../../requirements.ts'

const of =
  (type: string, test: (event: WireEvent) => boolean = () => true) =>
  (event: WireEvent): boolean =>
    event.type === type && test(event)

it(
  verifies(
    'R004-10',
    verifies(
      'R004-11',
      'the demo on a GitHub comes to the same end, with each event once, where the daemon is killed in the middle and started again',
    ),
  ),
  async () => {
    const moments: [what: string, test: (event: WireEvent) => boolean][] = [
      ['a question is open', of('question.asked')],
      ['a merge was decided on', of('merge.started')],
      ['a rebase stopped at a conflict', of('rebase.conflict')],
      [
        'a merge of a subtree’s worker was decided on',
        of('merge.started', ({ payload }) => payload['base'] === 'main.time'),
      ],
    ]
    const killed: string[] = []
    const events = await demoEndsWell([], async (demo) => {
      await demo.killAt((event) => {
        const [what] = moments.find(([name, test]) => !killed.includes(name) && test(event)) ?? []
        if (what !== undefined) killed.push(what)
        return what !== undefined
      })
    })
    expect(killed.length).toBeGreaterThanOrEqual(3)
    expect(payloads(events, 'daemon.started')).toHaveLength(killed.length + 1)
  },
  LIMIT,
)
