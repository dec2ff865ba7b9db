import { expect, it } from 'vitest'
import { demoEndsWell, LIMIT, payloads } from '../../helpers/github/github-demo.ts'
import { verifies } from '../../requirements.ts'

it(
  verifies(
    'R004-08',
    verifies('R004-16', 'the demo on a GitHub goes the same way and comes to the same end'),
  ),
  async () => {
    const events = await demoEndsWell([], async () => {})
    expect(payloads(events, 'daemon.started')).toHaveLength(1)
    // Each message that was typed or taken was reported once.
    expect(payloads(events, 'delivery.acked').length).toBeGreaterThan(10)
  },
  LIMIT,
)
